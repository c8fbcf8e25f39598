#include "app/views/waiting_keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace einlass::app {
namespace {

struct WaitingLine {
  core::LineId line;
  std::uint64_t records = 0;
};

// By the index of the limit. What keeps a limit's burst has the key of that limit.
std::string text_of(const std::vector<std::string_view>& keys, const config::Config& config,
                    const config::Route& route) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty() || config.limits[route.limits[i]].is_pace) continue;
    text.append(text.empty() ? "" : " ").append(keys[i]);
  }
  return text;
}

// Different keys of two limits may be the same text once they are joined.
void add(std::vector<metrics::WaitingKey>& keys, std::string key, std::uint64_t records) {
  const auto same = std::find_if(keys.begin(), keys.end(),
                                 [&](const metrics::WaitingKey& it) { return it.key == key; });
  if (same == keys.end()) {
    keys.push_back({std::move(key), records});
  } else {
    same->records += records;
  }
}

void fill(metrics::Route& route, std::vector<WaitingLine>& lines, const LineTable& table,
          const config::Config& config, const config::Route& of) {
  const std::size_t named = std::min(lines.size(), metrics::kMostKeys);
  const auto first_of_rest = lines.begin() + static_cast<std::ptrdiff_t>(named);
  std::partial_sort(lines.begin(), first_of_rest, lines.end(),
                    [](const WaitingLine& a, const WaitingLine& b) {
                      return a.records != b.records ? a.records > b.records : a.line < b.line;
                    });
  std::vector<std::string_view> keys(route.limits.size());
  for (auto it = lines.begin(); it != first_of_rest; ++it) {
    table.read_keys(it->line, keys);
    add(route.keys, text_of(keys, config, of), it->records);
  }
  for (auto it = first_of_rest; it != lines.end(); ++it) route.other_keys += it->records;
}

}  // namespace

void add_waiting_keys(const core::Gate& gate, const Limiters& limiters,
                      const config::Config& config, std::vector<metrics::Route>& routes) {
  std::vector<std::vector<WaitingLine>> waiting(routes.size());
  limiters.table().for_each([&](core::LineId line, core::RouteId route) {
    if (!routes[route.value].has_keys()) return;
    if (const std::uint64_t records = gate.waiting_in(line)) {
      waiting[route.value].push_back({line, records});
    }
  });
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!routes[i].has_keys()) continue;
    fill(routes[i], waiting[i], limiters.table(), config, config.routes[i]);
  }
}

}  // namespace einlass::app
