// Many lines, each with a limit of its own, before one target in virtual time: who comes new, and
// who may go faster than the others, gets what is his.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core {
namespace {

struct Case {
  std::uint32_t lines;  // Of which each has a backlog from the beginning, ...
  Duration each = Duration::millis(5);  // Its limit lets one of its records leave so often.
  Duration horizon = Duration::millis(500);
  std::uint32_t places = 64;
  std::uint32_t later = 0;  // ... or so many from when the newcomer comes.
  std::uint32_t hung = 0;   // So many never get an answer.
  int backlog = 140;        // Of each line.
  Duration all{};           // A limit that all share lets a record leave so often, if there is one.
};

constexpr Duration kOfNewcomer = Duration::millis(5);  // One of its records each, and a backlog.
constexpr int kBacklog = 20;
constexpr Duration kLatency = Duration::millis(5);
constexpr int kComesAfter = 3;  // Seconds.
constexpr int kSeconds = 13;

// Whose limits space permits evenly and book them as far ahead as they are asked.
class Crowd {
 public:
  explicit Crowd(const Case& one) : case_(one), bench_(options(one)), sent_(one.lines + 1) {
    bench_.put(PartitionAssigned{PartitionId{0}, RouteId{0}, Offset{0}});
    bench_.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
    for (std::uint32_t i = 1; i <= one.lines; ++i) {
      bench_.gate.add_line(LineId{i}, RouteId{1}, true);
    }
  }

  void run() {
    const Instant end = bench_.now + Duration::seconds(kSeconds);
    const Instant comes = bench_.now + Duration::seconds(kComesAfter);
    bring(1, case_.lines - case_.later);
    for (; bench_.now < end; bench_.now = bench_.now + Duration::millis(1)) {
      if (bench_.now == comes) bring(case_.lines - case_.later + 1, case_.lines);
      const Duration since = bench_.now - comes;
      for (; since >= Duration{} && since >= kOfNewcomer * (came_ - kBacklog); ++came_) arrive(0);
      end_attempts();
      if (bench_.gate.next_wakeup() && *bench_.gate.next_wakeup() <= bench_.now) put(TimePassed{});
    }
    bench_.gate.check_invariants();
  }

  int of_newcomer() const { return sent_[0]; }
  int of_lines(std::uint32_t first, std::uint32_t last) const {
    return std::accumulate(sent_.begin() + first, sent_.begin() + last + 1, 0);
  }
  int of_all() const { return of_lines(0, case_.lines); }
  int granted() const { return granted_; }

 private:
  static GateOptions options(const Case& one) {
    RouteOptions route = one.all > Duration{} ? two_limits(Order::none) : keyed();
    route.inside_records = 1'000'000;
    route.inside_bytes = Bytes{1 << 30};
    route.horizon = Duration::millis(500);
    GateOptions options = BenchGate::options_for(route, one.places);
    options.routes.push_back(route);
    options.routes[1].horizon = one.horizon;
    options.inside_records = 1'000'000;
    options.inside_bytes = Bytes{1 << 30};
    return options;
  }

  void bring(std::uint32_t first, std::uint32_t last) {
    for (int i = 0; i < case_.backlog; ++i) {
      for (std::uint32_t line = first; line <= last; ++line) arrive(line);
    }
  }

  void arrive(std::uint32_t line) {
    const std::uint32_t partition = line > 0;
    lines_.push_back(line);
    const auto slot = static_cast<std::uint32_t>(lines_.size() - 1);
    put(RecordArrived{PartitionId{partition}, RecordId{slot, 0}, Offset{offsets_[partition]++},
                      LineId{line}, LaneKey{slot}, Bytes{100}});
  }

  void put(const Event& event) {
    bench_.gate.handle(event, bench_.now, bench_.commands);
    Commands commands;
    std::swap(commands, bench_.commands);
    for (const Command& command : commands) {
      if (const auto* send = std::get_if<Send>(&command)) {
        ++sent_[lines_[send->record.slot]];
        const bool hangs = lines_[send->record.slot] - 1 < case_.hung;
        if (!hangs) under_way_.emplace(bench_.now + kLatency, *send);
      }
      if (const auto* ask = std::get_if<Ask>(&command)) grant(*ask);
    }
  }

  void grant(const Ask& ask) {
    const bool shared = case_.all > Duration{};
    const Duration of_line = ask.line.value == 0 ? kOfNewcomer : case_.each;
    Instant& next = next_[shared ? 0 : ask.line.value];
    next = std::max(next, bench_.now);
    const Instant last = bench_.now + ask.horizon;
    std::vector<Duration> due;
    PermitsAnswered event{ask.line, ask.ask, due, bench_.now};
    while (due.size() < static_cast<std::size_t>(ask.max.value) && next <= last) {
      due.push_back(next - bench_.now);
      next = next + (shared ? case_.all : of_line);
    }
    if (due.size() < static_cast<std::size_t>(ask.max.value)) {
      event.retry = next - last;
      event.ahead = ask.horizon;
    }
    event.due = due;
    granted_ += static_cast<int>(due.size());
    put(event);
  }

  void end_attempts() {
    while (!under_way_.empty() && under_way_.begin()->first <= bench_.now) {
      const Send send = under_way_.begin()->second;
      under_way_.erase(under_way_.begin());
      put(DeliveryEnded{send.record, send.attempt, Outcome::accepted, std::nullopt});
    }
  }

  const Case case_;
  BenchGate bench_;
  std::vector<std::uint32_t> lines_;  // By the record's slot.
  std::multimap<Instant, Send> under_way_;
  std::map<std::uint32_t, Instant> next_;
  std::int64_t offsets_[2] = {0, 0};
  std::vector<int> sent_;  // By line.
  int came_ = 0, granted_ = 0;
};

// Permits that others hold for the next seconds keep nobody from the target's free places.
TEST(Crowd, who_books_far_ahead_leaves_a_faster_line_its_rate) {
  for (const std::uint32_t lines : {100u, 500u}) {
    Crowd crowd({.lines = lines, .each = Duration::seconds(1), .horizon = Duration::seconds(10)});
    crowd.run();
    EXPECT_GE(crowd.of_newcomer(), 200 * (kSeconds - kComesAfter) * 95 / 100) << lines;
  }
}

// The target has 3,200 places a second and 1,000 lines want 10,000. Who asks comes after those who
// wait to ask, also when it is his own permit that was used or has lapsed.
TEST(Crowd, at_a_target_that_is_too_slow_a_newcomer_has_its_part_and_few_permits_lapse) {
  Crowd crowd({.lines = 1'000, .each = Duration::millis(100), .places = 16});
  crowd.run();
  const int part = crowd.of_all() / kSeconds * (kSeconds - kComesAfter) / 1'001;
  EXPECT_GE(crowd.of_newcomer(), part * 9 / 10);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 105 / 100);
}

// Who was there first went as fast as its limit lets it, and has permits for the next half second.
TEST(Crowd, who_comes_later_to_a_target_that_becomes_too_slow_is_served_like_the_others) {
  Crowd crowd({.lines = 1'000, .each = Duration::millis(100), .places = 16, .later = 700});
  crowd.run();
  const int part = 3'200 * (kSeconds - kComesAfter) / 1'001;
  EXPECT_GE(crowd.of_lines(301, 1'000), 700 * part * 3 / 4);
  EXPECT_LE(crowd.granted(), crowd.of_all() * 105 / 100);
}

// They have all places that are theirs, and take no permits that come due for nobody.
TEST(Crowd, who_hangs_leaves_the_others_the_limit_that_all_share) {
  Crowd crowd({.lines = 20, .hung = 10, .backlog = 2'000, .all = Duration::millis(1)});
  crowd.run();
  EXPECT_GE(crowd.of_lines(11, 20) + crowd.of_newcomer(), 1'000 * kSeconds * 94 / 100);
  EXPECT_LE(crowd.granted(), 1'000 * kSeconds * 105 / 100);
}

}  // namespace
}  // namespace einlass::core
