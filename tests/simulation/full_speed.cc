#include "full_speed.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "limiter_world.h"

namespace einlass::simulation {
namespace {

// There and back, and what a gate may wait for an answer that had to wait itself.
Duration round_trip(const Settings& settings) { return settings.answer_delay * 2; }

// Attempts take a time of any magnitude up to the latency.
Duration attempt(const Settings& settings) {
  constexpr double kLeast = 20;
  const double most = std::max(2 * kLeast, static_cast<double>(settings.latency.us));
  return Duration{static_cast<std::int64_t>((most - kLeast) / std::log(most / kLeast))};
}

// What a bucket needs for so many permits. `ahead`: they are asked for so long before they are due
// that the way to the limiter costs nothing; else whatever comes free is asked for when it is
// there.
Duration time_for(const Settings& settings, const LimitSettings& limit, std::int64_t permits,
                  bool ahead) {
  const Duration way = round_trip(settings);
  if (limit.held) {
    // What ends at other gates is looked for now and then.
    const Duration look = settings.instances > 1 ? Duration::millis(20) : Duration{};
    return (attempt(settings) + way + look) * permits / limit.limit;
  }
  if (limit.log) {
    const Duration window = ahead ? limit.window : limit.window + way * 2;
    return window * ((permits - 1) / limit.limit);
  }
  const std::int64_t flows_in = std::max<std::int64_t>(0, permits - limit.limit);
  const Duration at_its_rate{flows_in * limit.micros / limit.permits};
  // No more than the burst has gathered between two asks.
  return ahead ? at_its_rate : std::max(at_its_rate, way * (flows_in / limit.limit));
}

bool asks_ahead(const Settings& settings, const RouteSettings& route) {
  const Duration enough = round_trip(settings) * 4;
  if (route.limits.size() != 1 || route.options.horizon < enough) return false;
  const LimitSettings& limit = settings.limits[route.limits[0]];
  return limit.ahead && limit.most_ahead >= enough;
}

// What the records of those routes need: the longest time of any of their buckets and targets.
template <class Counts>
Duration time_of(const Settings& settings, const KafkaWorld& kafka, Counts counts) {
  std::map<BucketKey, std::int64_t> permits;
  std::map<BucketKey, bool> ahead;
  std::vector<std::int64_t> of_target(settings.gate.targets.size());
  for (std::size_t i = 0; i < kafka.partitions(); ++i) {
    if (!counts(kafka.route(i))) continue;
    const RouteSettings& route = settings.routes[kafka.route(i).value];
    for (const LogRecord& record : kafka.log(i)) {
      ++of_target[route.options.target.value];
      for (const std::size_t number : route.limits) {
        const LimitSettings& limit = settings.limits[number];
        const BucketKey key{route.options.store.value, number, limit.keyed ? record.key : -1};
        permits[key] += limit.varies ? record.cost.value : 1;
        ahead.try_emplace(key, true).first->second &= asks_ahead(settings, route);
      }
    }
  }
  Duration longest;
  for (const auto& [key, count] : permits) {
    longest = std::max(longest, time_for(settings, settings.limits[key.limit], count, ahead[key]));
  }
  for (std::size_t i = 0; i < of_target.size(); ++i) {
    const Duration all = attempt(settings) * of_target[i];
    longest = std::max(longest, all / settings.gate.targets[i].max_in_flight);
  }
  return longest;
}

// What a route has of a limit goes by turns: one that waits for another limit meanwhile may have
// only little of it until the other routes have come to their end.
bool contends(const Settings& settings, const RouteSettings& route) {
  const auto has = [&](const RouteSettings& other, std::size_t limit) {
    return &other != &route && other.options.store == route.options.store &&
           std::ranges::find(other.limits, limit) != other.limits.end();
  };
  const auto shared = [&](std::size_t limit) {
    return std::ranges::any_of(settings.routes,
                               [&](const auto& other) { return has(other, limit); });
  };
  return route.limits.size() > 1 && std::ranges::any_of(route.limits, shared);
}

// A limit that lets as much through in twice the time.
void slow_down(LimitSettings& limit) {
  if (limit.held) return;
  limit.window = limit.window * 2;
  limit.micros *= 2;
}

}  // namespace

void slow_down_to_be_judged(Settings& settings) {
  constexpr Duration kEnough = Duration::seconds(4);
  constexpr int kMostTimes = 12;  // Where no limit is what is scarcest it does not help.
  const KafkaWorld kafka(settings);
  for (int i = 0; i < kMostTimes && time_at_full_speed(settings, kafka) < kEnough; ++i) {
    std::ranges::for_each(settings.limits, slow_down);
  }
}

Duration time_at_full_speed(const Settings& settings, const KafkaWorld& kafka) {
  const Duration all = time_of(settings, kafka, [](core::RouteId) { return true; });
  const auto in_turn = [&](const RouteSettings& one) {
    // Whose turn it is there is drawn (instance_flows.cc).
    return one.options.fleet_limits != 0 || contends(settings, one);
  };
  if (std::ranges::none_of(settings.routes, in_turn)) return all;
  // One route may come after the other.
  Duration each;
  for (std::uint16_t i = 0; i < settings.routes.size(); ++i) {
    each = each + time_of(settings, kafka, [i](core::RouteId id) { return id.value == i; });
  }
  return std::max(all, each);
}

}  // namespace einlass::simulation
