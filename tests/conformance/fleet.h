// Real gates with a backlog each, in time that is invented: how much do they use of what their
// limiter allows?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "conformance/gate_limiter.h"
#include "core/gate/gate.h"

namespace einlass::conformance {

// What stands around the gates.
struct Surroundings {
  const char* name;
  Duration answer;               // From an ask to its answer; it is decided half way.
  Duration attempt;              // How long the target takes for each.
  Duration late;                 // By how much at most a gate's loop wakes up late.
  std::uint32_t places = 1'000;  // Of each gate at its target.
};

class Fleet {
 public:
  // All gates have the same route, with one line.
  Fleet(const core::RouteOptions& route, const Surroundings& around, Instant begin);

  // To be used by `limiter`.
  void add_gate(std::unique_ptr<GateLimiter> limiter);

  // What the records of a gate cost, by their offsets; 1 without it.
  using Cost = std::function<Permits(std::size_t gate, Offset offset)>;
  void set_cost(Cost cost) { cost_ = std::move(cost); }

  // Whose the records of that slot in a gate are, where the route has a share.
  using FlowOf = std::function<core::FlowMark(std::size_t gate, std::uint32_t slot)>;
  void set_flows(FlowOf flow_of) { flow_of_ = std::move(flow_of); }

  // How long it takes until another record stands where one was finished; at once without it.
  using Pause = std::function<Duration(std::size_t gate, std::uint32_t slot, Instant now)>;
  void set_pause(Pause pause) { pause_ = std::move(pause); }

  // How an attempt ends that begins then; accepted without it. The gates' breakers open after three
  // that fail. REQUIRES: before the gates are added.
  using Outcome = std::function<core::Outcome(std::size_t gate, Instant now)>;
  void set_outcome(Outcome outcome) { outcome_ = std::move(outcome); }

  // For so long, with as many records waiting in each gate all the time.
  void run(Duration length, int backlog);

  // An attempt that has left, by its flow.
  struct Left {
    Instant at;
    core::FlowKey flow;
    std::size_t gate;
  };
  const std::vector<Left>& left() const { return left_; }
  std::int64_t asks() const { return asks_; }

  // Of the permits that were used, in the order in which they were: on the limiter's clock.
  const std::vector<Instant>& stamps() const { return stamps_; }
  std::int64_t most_under_way() const { return most_under_way_; }

 private:
  struct Member {
    Member(std::size_t its_number, const core::GateOptions& options,
           std::unique_ptr<GateLimiter> its)
        : number(its_number), gate(options), limiter(std::move(its)) {}

    std::size_t number = 0;
    core::Gate gate;
    std::unique_ptr<GateLimiter> limiter;
    core::Commands commands;
    std::optional<Instant> wakes;            // What its timer is set to.
    std::uint64_t timer = 0;                 // Counts the settings: earlier ones mean nothing.
    std::vector<std::uint32_t> generations;  // By slot.
    std::int64_t next_offset = 0;
  };

  // What is to happen, in the order of time, and then in which it was said.
  struct Moment {
    Instant at;
    std::uint64_t number;
    std::function<void()> happen;
    bool operator<(const Moment& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  void after(Duration wait, std::function<void()> happen);
  void come(Member& member, std::uint32_t slot);
  void arrive(Member& member, std::uint32_t slot);
  void put(Member& member, const core::Event& event);
  void set_timer(Member& member);

  void perform(Member& member, const core::Ask& ask);
  void perform(Member& member, const core::Send& send);
  void perform(Member& member, const core::Forget& forget);
  void perform(Member& member, const core::Release& release);
  void perform(Member& member, const core::Ended& ended);
  void perform(Member& member, const core::Commit& commit);
  template <class Other>
  void perform(Member&, const Other&) {}

  core::RouteOptions route_;
  Surroundings around_;
  Cost cost_ = [](std::size_t, Offset) { return Permits{1}; };
  FlowOf flow_of_ = [](std::size_t, std::uint32_t) { return core::FlowMark{}; };
  Outcome outcome_;
  Pause pause_ = [](std::size_t, std::uint32_t, Instant) { return Duration{}; };
  Instant now_;
  std::minstd_rand random_;
  std::vector<std::unique_ptr<Member>> members_;
  std::priority_queue<Moment> moments_;
  std::uint64_t moments_said_ = 0;
  std::vector<Left> left_;
  std::int64_t asks_ = 0;
  std::vector<Instant> stamps_;
  std::int64_t under_way_ = 0;
  std::int64_t most_under_way_ = 0;
};

}  // namespace einlass::conformance
