#include "config/limits/pace.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "config/limits/parameters.h"
#include "config/tables/tables.h"
#include "limits/windows/spacing.h"

namespace einlass::config {
namespace {

struct Window {
  Permits limit;
  Duration length;
};

struct WindowOf {
  std::optional<Window> operator()(const limits::FixedWindowParameters& p) const {
    return Window{p.limit, p.window};
  }
  std::optional<Window> operator()(const limits::CounterParameters& p) const {
    return Window{p.limit, p.window};
  }
  std::optional<Window> operator()(const limits::SlidingWindowParameters& p) const {
    return Window{p.limit, p.window};
  }
  template <class Other>
  std::optional<Window> operator()(const Other&) const {
    return std::nullopt;
  }
};

}  // namespace

Permits counted_limit(const limits::Parameters& parameters) {
  return std::visit(WindowOf{}, parameters).value_or(Window{}).limit;
}

std::optional<limits::SlidingLogParameters> pace_of(const Limit& limit) {
  const auto window = std::visit(WindowOf{}, limit.limit.parameters);
  if (!window) return std::nullopt;
  const limits::Spacing pace =
      limits::burst_of(window->limit, window->length, kDefaultEven, limit.burst);
  if (pace.units == 0) return std::nullopt;
  return limits::SlidingLogParameters{Permits{pace.units}, pace.apart};
}

bool has_pace(const Limit& limit) {
  return limit.paced_by.has_value() || pace_of(limit).has_value();
}

limits::Parameters pace_or_none(const Limit& limit) {
  // The limit itself lets no more of them through.
  const limits::SlidingLogParameters none{counted_limit(limit.limit.parameters), {1}};
  return pace_of(limit).value_or(none);
}

limits::Parameters share_of_pace(const limits::Parameters& pace, int instances) {
  auto share = std::get<limits::SlidingLogParameters>(pace);
  const std::int64_t gates = std::max(instances, 1);
  const std::int64_t whole = share.limit.value;
  share.limit = Permits{std::max<std::int64_t>(1, whole / gates)};
  const __int128 micros =
      static_cast<__int128>(share.window.us) * share.limit.value * gates / whole;
  share.window = Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(micros))};
  return share;
}

void add_bursts(Section& top, Config& config) {
  std::vector<Limit>& limits = config.limits;
  std::vector<bool>& sound = top.reading().sound_limits;
  const std::size_t written = limits.size();
  for (std::size_t i = 0; i < written; ++i) {
    const auto pace = pace_of(limits[i]);
    if (!pace) continue;
    Limit behind = limits[i];
    behind.is_pace = true;
    behind.burst = {};
    behind.overrides.clear();       // What they are here stands in those of the limit,
    behind.schedule.clear();        // and so it is with these.
    behind.limit.name += "/burst";  // No limit of the file can have that name.
    behind.limit.parameters = *pace;
    limits[i].paced_by = limits.size();
    limits.push_back(std::move(behind));
    sound.push_back(sound[i]);
  }
}

}  // namespace einlass::config
