// What the gate counts: plain numbers that the stages write and the metrics adapter reads, on the
// same thread. Nothing in the core depends on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/command.h"
#include "core/contract/flow.h"
#include "core/contract/options.h"
#include "units/time.h"

namespace einlass::core {

// Counts durations into fixed classes. The last class is everything longer.
struct Histogram {
  // From 1 ms to 1 hour no class is wider than a tenth of its lower bound, so a quantile read off
  // the classes is at most that far from the true one. Below 1 ms nobody asks so closely.
  static constexpr std::size_t kCoarse = 3;      // Classes below 1 ms,
  static constexpr std::size_t kPerDecade = 25;  // and in each decade from there on.

  // Upper bounds in microseconds, included: 100 us to 1 hour, and a few beyond, for what may have
  // waited in Kafka: 2, 4 and 8 hours, 1, 2, 4 and 7 days.
  static constexpr std::size_t kWithinAnHour = 168;
  static constexpr std::array<std::int64_t, kWithinAnHour + 7> kBounds = [] {
    constexpr std::array<std::int64_t, kPerDecade> kDecade = {
        100, 110, 120, 132, 145, 159, 174, 191, 209, 229, 251, 275, 302,
        331, 363, 398, 437, 479, 525, 575, 631, 692, 759, 832, 912};
    constexpr std::int64_t kHour = 3'600'000'000;
    std::array<std::int64_t, kWithinAnHour + 7> bounds{100, 250, 500};
    std::int64_t unit = 10;
    for (std::size_t i = kCoarse; i < kWithinAnHour; ++i) {
      bounds[i] = kDecade[(i - kCoarse) % kPerDecade] * unit;
      if ((i - kCoarse) % kPerDecade == kPerDecade - 1) unit *= 10;
    }
    std::size_t i = kWithinAnHour - 1;
    for (const std::int64_t hours : {1, 2, 4, 8, 24, 48, 96, 168}) bounds[i++] = hours * kHour;
    return bounds;
  }();

  std::array<std::uint64_t, kBounds.size() + 1> counts{};
  double sum_us = 0;  // Of records that waited for days it is soon more than 64 bits.

  void observe(Duration d);
};

// What holds a record up, in the words of every page.
enum class Cause : std::uint8_t {
  limit,       // A permit.
  target,      // Room at the target, or the end of Retry-After or of its breaker's wait.
  retry,       // The time of its next attempt, or of the next try to write its dead letter.
  order,       // The record before it in its lane, which is under way: nothing else is in its way.
  outage,      // A limiter that does not answer, or only with errors.
  paused,      // Somebody, who has paused its route, its target or its tenant.
  in_flight,   // Nothing: it is at the target, or on the way to the dead letter topic.
  not_before,  // Its own time.
};
inline constexpr std::array<std::string_view, 8> kCauseNames = {
    "limit", "target", "retry", "order", "outage", "paused", "in_flight", "not_before"};

struct CauseCounts {
  std::array<std::uint64_t, kCauseNames.size()> counts{};

  std::uint64_t& operator[](Cause cause) { return counts[static_cast<std::size_t>(cause)]; }
  std::uint64_t operator[](Cause cause) const { return counts[static_cast<std::size_t>(cause)]; }
};

// What the records of a route wait for now. A record behind others of its lane waits for what the
// first of them waits for.
struct Waiting {
  CauseCounts records;
  CauseCounts behind;  // Of these: records that are not the first of their lane.
  // Of those that wait for a limit: for which, by its index in the route's list. A line that has
  // not been answered yet may wait for one that nobody knows.
  std::array<std::uint64_t, kMostLimits> for_limit{};
  std::uint64_t lines = 0;                                   // With records inside,
  std::array<std::uint64_t, kMostLimits> lines_for_limit{};  // and of which some wait for it.
  std::array<std::uint64_t, kMostLevels> by_level{};  // Where the route has a share: those ready.
};

struct LimitStats {
  std::uint64_t admissions = 0;  // Permits granted and used.
  std::uint64_t rejections = 0;  // Asks denied for which this limit was the reason.
  std::uint64_t released = 0;    // Permits granted and given back.
};

struct RouteStats {
  std::uint64_t received = 0;
  std::uint64_t delivered = 0;
  std::array<std::uint64_t, 6> dead_lettered{};  // By DeadLetterReason.
  std::uint64_t returned = 0;
  std::uint64_t filtered = 0;  // Left out by the route, without a permit.
  // Read again after a restart or a rebalance, but finished before: not received, not delivered.
  std::uint64_t finished_before = 0;
  std::uint64_t never = 0;   // Inside now, and dearer than their limits could ever pay.
  std::uint64_t inside = 0;  // Counted on its own: the books close when it is received - the four.
  std::uint64_t attempts_accepted = 0;
  std::uint64_t attempts_retry = 0;
  std::uint64_t attempts_refused = 0;
  std::uint64_t stood_in = 0;  // Of all permits used: those that were not the limiter's own.
  Histogram admission_wait;
  Histogram permit_lateness;  // From its coming due to its use.
  Histogram attempt_duration;
  std::vector<LimitStats> limits;  // In the order of the route's list.
  // Where the route has a share: permits used, by the name that a flow is counted under
  // (kNamedFlows: all others), and of each name by level.
  std::vector<std::uint64_t> share_permits;
};

// Adds what another gate of the same routes has counted.
void add(Histogram& to, const Histogram& one);
void add(Waiting& to, const Waiting& one);
void add(RouteStats& to, const RouteStats& one);

}  // namespace einlass::core
