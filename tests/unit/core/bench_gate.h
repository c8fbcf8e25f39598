// A gate on a table: events go in by short calls, and what it commands is kept to be looked at.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "core/gate/gate.h"

namespace einlass::core {

// A route with a limit for all and one with a key.
inline RouteOptions two_limits(Order order) {
  RouteOptions route;
  route.order = order;
  route.limit_count = 2;
  route.keyless_limits = 1;
  return route;
}

// As many limits for all, and a topic for dead letters.
inline RouteOptions route_by(Order order, std::uint8_t limits = 0) {
  RouteOptions route;
  route.order = order;
  route.limit_count = limits;
  route.keyless_limits = limits;
  route.dead_letter = true;
  return route;
}

// One limit, for all.
inline RouteOptions limited_route(Order order = Order::none) {
  RouteOptions route;
  route.order = order;
  route.limit_count = 1;
  route.keyless_limits = 1;
  return route;
}

// One limit, with a key.
inline RouteOptions keyed() {
  RouteOptions route;
  route.order = Order::none;
  route.limit_count = 1;
  return route;
}

using Slots = std::vector<std::uint32_t>;

struct BenchGate {
  static GateOptions options_for(RouteOptions route, std::uint32_t max_in_flight = 64) {
    GateOptions options;
    options.routes = {route};
    options.targets = {{max_in_flight}};
    options.stores = 1;
    return options;
  }

  explicit BenchGate(const GateOptions& options) : gate(options) {
    gate.add_line(LineId{0}, RouteId{0}, true);
  }

  void assign(std::uint32_t partition, std::int64_t next = 0) {
    put(PartitionAssigned{PartitionId{partition}, RouteId{0}, Offset{next}});
  }

  // The record's slot is its number.
  void arrive(std::uint32_t record, std::int64_t offset, std::uint32_t partition = 0,
              std::uint32_t line = 0, std::optional<std::uint64_t> lane = std::nullopt) {
    RecordArrived event{PartitionId{partition}, RecordId{record, 0}, Offset{offset},
                        LineId{line}, std::nullopt, Bytes{100}};
    if (lane) event.lane = LaneKey{*lane};
    put(event);
  }

  void ended(std::uint32_t record, Outcome outcome, std::uint32_t attempt = 1,
             std::optional<Duration> hold = std::nullopt) {
    put(DeliveryEnded{RecordId{record, 0}, Attempt{attempt}, outcome, hold});
  }

  // Answers the newest ask with permits due at these milliseconds.
  void answer(std::vector<int> due_ms, std::optional<Duration> retry = std::nullopt) {
    due.clear();
    for (const int ms : due_ms) due.push_back(Duration::millis(ms));
    const Ask ask = all<Ask>().back();
    put(PermitsAnswered{ask.line, ask.ask, due, now, retry, LimitIndex{0}, ask.horizon});
  }

  void pass(Duration time) {
    const Instant end = now + time;
    while (gate.next_wakeup() && *gate.next_wakeup() <= end) {
      now = std::max(now, *gate.next_wakeup());
      put(TimePassed{});
    }
    now = end;
  }

  void put(const Event& event) {
    gate.handle(event, now, commands);
    gate.check_invariants();
  }

  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const Command& command : commands) {
      if (const auto* it = std::get_if<Kind>(&command)) found.push_back(*it);
    }
    return found;
  }

  // The slots of the records sent, in order.
  std::vector<std::uint32_t> sent() const {
    std::vector<std::uint32_t> slots;
    for (const Send& send : all<Send>()) slots.push_back(send.record.slot);
    return slots;
  }

  Gate gate;
  Instant now{1'000'000};
  Commands commands;
  std::vector<Duration> due;
};

}  // namespace einlass::core
