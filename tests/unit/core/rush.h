// A gate with a limiter and a target that are always busy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/delivery/random.h"
#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {

inline constexpr Duration kTick = Duration::millis(1);

// Plays limiter and target: each bucket gives one permit a tick, to whichever ask comes first, and
// that is a matter of chance; an attempt ends in the tick in which it began, or in the next.
class Rush {
 public:
  explicit Rush(const GateOptions& options) : bench_(options) {
    bench_.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}});
    routes_[0] = 0;
  }

  void add_line(std::uint32_t line, std::uint16_t route) {
    bench_.gate.add_line(LineId{line}, RouteId{route}, true);
    bench_.put(PartitionAssigned{PartitionId{line}, RouteId{route}, Offset{0}});
    routes_[line] = route;
  }
  // The line's permits come from the buckets of these numbers, one of each; the first that is
  // empty is the reason.
  void limit(std::uint32_t line, std::vector<int> buckets) { buckets_[line] = buckets; }
  // This bucket gives its permits at another pace.
  void gives_each(int bucket, Duration time) { each_[bucket] = time; }
  void fails(std::uint32_t line, bool yes) {
    if (yes) failing_.insert(line);
    if (!yes) failing_.erase(line);
  }
  void arrive(std::uint32_t line, int count) {
    for (; count > 0; --count) {
      line_of_.push_back(line);
      const auto slot = static_cast<std::uint32_t>(line_of_.size() - 1);
      bench_.arrive(slot, offsets_[line]++, line, line);
    }
    settle();
  }
  void be_slow() { slow_ = true; }
  void run(int ticks) {
    for (; ticks > 0; --ticks) {
      bench_.pass(kTick);
      for (const DeliveryEnded& event : std::exchange(open_, {})) bench_.put(event);
      settle();
    }
  }

  struct Sent {
    std::uint32_t line;
    bool retry;
  };
  std::vector<Sent> sent;
  Permits most_asked{0};  // By one ask.

  // Of the attempts since the last call: how many were retries.
  std::pair<int, int> retries_of_all() {
    const auto begin = sent.begin() + static_cast<std::ptrdiff_t>(looked_);
    const auto retries = std::count_if(begin, sent.end(), [](const Sent& s) { return s.retry; });
    const std::pair<int, int> counts(static_cast<int>(retries),
                                     static_cast<int>(sent.end() - begin));
    looked_ = sent.size();
    return counts;
  }

 private:
  void settle() {
    while (seen_ < bench_.commands.size() || !asks_.empty()) {
      if (seen_ == bench_.commands.size()) {
        answer_one();
        continue;
      }
      const Command command = bench_.commands[seen_++];
      if (const auto* ask = std::get_if<Ask>(&command)) asks_.push_back(*ask);
      if (const auto* send = std::get_if<Send>(&command)) end(*send);
    }
  }

  void answer_one() {
    const auto chosen = asks_.begin() + random_.up_to(static_cast<std::int64_t>(asks_.size()) - 1);
    const Ask ask = *chosen;
    asks_.erase(chosen);
    answer(ask);
  }

  void answer(const Ask& ask) {
    most_asked = std::max(most_asked, ask.max);
    std::optional<int> empty;
    const std::vector<int>& buckets = buckets_[ask.line.value];
    for (std::size_t i = 0; i < buckets.size() && !empty; ++i) {
      if (bench_.now < next_[buckets[i]]) empty = static_cast<int>(i);
    }
    due_.assign(empty ? 0 : 1, Duration{});
    PermitsAnswered event{ask.line, ask.ask, due_, bench_.now};
    if (empty) {
      event.reason = LimitIndex{static_cast<std::uint8_t>(*empty)};
      event.retry = next_[buckets[static_cast<std::size_t>(*empty)]] - bench_.now;
    } else {
      for (const int bucket : buckets) next_[bucket] = bench_.now + each(bucket);
      // The shared one comes first.
      if (ask.max.value > 1) event.retry = each(buckets[0]);
    }
    bench_.put(event);
  }

  Duration each(int bucket) const {
    const auto found = each_.find(bucket);
    return found == each_.end() ? kTick : found->second;
  }

  void end(const Send& send) {
    const std::uint32_t line = line_of_[send.record.slot];
    sent.push_back({line, send.attempt.value > 1});
    const bool fail = failing_.contains(line);
    const DeliveryEnded event{send.record, send.attempt, fail ? Outcome::retry : Outcome::accepted,
                              std::nullopt};
    if (slow_) return open_.push_back(event);
    bench_.put(event);
  }

  BenchGate bench_;
  std::map<std::uint32_t, std::uint16_t> routes_;
  std::map<std::uint32_t, std::vector<int>> buckets_;
  std::map<int, Instant> next_;
  std::map<int, Duration> each_;
  std::map<std::uint32_t, std::int64_t> offsets_;
  std::set<std::uint32_t> failing_;
  std::vector<std::uint32_t> line_of_;
  std::vector<Duration> due_;
  std::vector<Ask> asks_;
  std::vector<DeliveryEnded> open_;
  bool slow_ = false;
  Random random_{1};
  std::size_t seen_ = 0;
  std::size_t looked_ = 0;
};

}  // namespace einlass::core
