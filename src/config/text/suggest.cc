#include "config/text/suggest.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace einlass::config {
namespace {

// Longer names are not compared: the work is the product of both lengths.
constexpr std::size_t kLongestName = 64;

// What Kafka's clients and its other programs call it, and we.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kElsewhere{{
    {"bootstrap.servers", "brokers"},
    {"bootstrap_servers", "brokers"},
    {"group.id", "group"},
    {"group_id", "group"},
    {"retries", "retry"},
    {"max_attempts", "attempts"},
    {"dlq", "dead_letter"},
}};

// How many letters to insert, delete, replace or swap with their neighbour (Damerau).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view written,
                                        const std::vector<std::string_view>& known) {
  if (written.empty() || written.size() > kLongestName) return std::nullopt;
  for (const auto& [theirs, ours] : kElsewhere) {
    if (written == theirs && std::ranges::find(known, ours) != known.end()) return ours;
  }
  std::size_t least = std::max<std::size_t>(written.size() / 3, 1) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view name : known) {
    // Each letter more or less is an edit.
    if (name.size() > kLongestName || name.size() + least <= written.size()) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::optional<std::string> suggestion(std::string_view written,
                                      const std::vector<std::string_view>& known) {
  const auto best = nearest(written, known);
  if (!best) return std::nullopt;
  return "did you mean `" + std::string(*best) + "`?";
}

}  // namespace einlass::config
