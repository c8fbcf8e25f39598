// Many lines, each with a limit of its own, before one target in virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "unit/core/bench_gate.h"

namespace einlass::core::crowd {

struct Case {
  std::uint32_t lines;  // Of which each has a backlog from the beginning, ...
  Duration each = Duration::millis(5);  // Its limit lets one of its records leave so often.
  Duration horizon = Duration::millis(500);
  std::uint32_t places = 64;
  std::uint32_t later = 0;  // ... or so many from when the newcomer comes, ...
  bool newcomer = true;     // ... if there is one.
  std::uint32_t slow = 0;   // The first so many have a limit of one record a second.
  std::uint32_t hung = 0;   // So many never get an answer.
  int backlog = 140;        // Of each line.
  Duration all{};           // A limit that all share lets a record leave so often, if there is one;
  int in_second = 0;        // or so many in each second, and none ahead of time.
  Duration latency = Duration::millis(5);
};

// The newcomer has a backlog, and then a record so often.
inline constexpr int kBacklog = 20;
inline constexpr Duration kOfNewcomer = Duration::millis(5);
inline constexpr int kComesAfter = 3;  // Seconds.
inline constexpr int kSeconds = 13;

// Limits space permits evenly and book them as far ahead as they are asked, unless the case says
// otherwise.
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
      const bool there = case_.newcomer && since >= Duration{};
      for (; there && since >= kOfNewcomer * (came_ - kBacklog); ++came_) arrive(0);
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
    const bool shared = one.all > Duration{} || one.in_second > 0;
    RouteOptions route = shared ? two_limits(Order::none) : keyed();
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
        if (!hangs) under_way_.emplace(bench_.now + case_.latency, *send);
      }
      if (const auto* ask = std::get_if<Ask>(&command)) grant(*ask);
      if (const auto* release = std::get_if<Release>(&command)) take_back(release->line.value);
    }
  }

  Duration spacing_of(std::uint32_t line) const {
    if (line == 0) return kOfNewcomer;
    return line <= case_.slow ? Duration::seconds(1) : case_.each;
  }

  void grant(const Ask& ask) {
    std::vector<Duration> due;
    PermitsAnswered event{ask.line, ask.ask, due, bench_.now};
    const auto most = static_cast<std::size_t>(ask.max.value);
    case_.in_second > 0 ? count(ask, most, due, event) : book(ask, most, due, event);
    event.due = due;
    granted_ += static_cast<int>(due.size());
    put(event);
  }

  void take_back(std::uint32_t line) {
    if (case_.in_second > 0) return;
    const bool shared = case_.all > Duration{};
    Instant& next = next_[shared ? 0 : line];
    next = next - (shared ? case_.all : spacing_of(line));
  }

  // Of the limit that all share if there is one, or of the line's own.
  void book(const Ask& ask, std::size_t most, std::vector<Duration>& due, PermitsAnswered& event) {
    const bool shared = case_.all > Duration{};
    const std::uint32_t line = ask.line.value;
    Instant& next = next_[shared ? 0 : line];
    next = std::max(next, bench_.now);
    const Instant last = bench_.now + ask.horizon;
    while (due.size() < most && next <= last) {
      due.push_back(next - bench_.now);
      next = next + (shared ? case_.all : spacing_of(line));
    }
    if (due.size() == most) return;
    event.retry = next - last;
    event.ahead = ask.horizon;
  }

  void count(const Ask& ask, std::size_t most, std::vector<Duration>& due, PermitsAnswered& event) {
    const std::int64_t second = bench_.now.us / 1'000'000;
    if (std::exchange(second_, second) != second) counted_ = 0;
    Instant& next = next_[ask.line.value];
    while (due.size() < most && next <= bench_.now && counted_ < case_.in_second) {
      due.emplace_back();
      ++counted_;
      next = bench_.now + spacing_of(ask.line.value);
    }
    if (due.size() == most) return;
    const bool own = counted_ < case_.in_second;
    event.reason = LimitIndex{static_cast<std::uint8_t>(own)};
    event.retry = (own ? next : Instant{(second + 1) * 1'000'000}) - bench_.now;
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
  std::int64_t second_ = 0;
  int counted_ = 0;  // In this second.
  int came_ = 0, granted_ = 0;
};

}  // namespace einlass::core::crowd
