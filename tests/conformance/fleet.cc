#include "conformance/fleet.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace einlass::conformance {
namespace {

constexpr core::LineId kLine{0};
constexpr core::PartitionId kPartition{0};
constexpr core::RouteId kRoute{0};

// A gate that spins would never come to the end of its instant.
constexpr std::uint64_t kMostMoments = 5'000'000;

}  // namespace

Fleet::Fleet(const core::RouteOptions& route, const Surroundings& around, Instant begin)
    : route_(route), around_(around), now_(begin) {
  route_.order = core::Order::none;
}

void Fleet::add_gate(std::unique_ptr<GateLimiter> limiter) {
  core::GateOptions options;
  options.routes = {route_};
  options.targets = {{around_.places}};
  options.stores = 1;
  if (outcome_) options.targets[0].breaker.failures = 3;
  options.seed = members_.size();
  members_.push_back(std::make_unique<Member>(members_.size(), options, std::move(limiter)));
  members_.back()->gate.add_line(kLine, kRoute, true);
}

void Fleet::run(Duration length, int backlog) {
  const Instant end = now_ + length;
  for (const auto& member : members_) {
    put(*member, core::PartitionAssigned{kPartition, kRoute, Offset{0}});
    member->generations.resize(static_cast<std::size_t>(backlog));
    for (int slot = 0; slot < backlog; ++slot) come(*member, static_cast<std::uint32_t>(slot));
  }
  while (!moments_.empty() && moments_.top().at < end) {
    if (moments_said_ > kMostMoments) throw std::runtime_error("the gates do not rest");
    const Moment moment = moments_.top();
    moments_.pop();
    now_ = moment.at;
    moment.happen();
  }
}

void Fleet::after(Duration wait, std::function<void()> happen) {
  moments_.push({now_ + wait, moments_said_++, std::move(happen)});
}

// A record, as soon as there is one.
void Fleet::come(Member& member, std::uint32_t slot) {
  const Duration pause = pause_(member.number, slot, now_);
  if (pause == Duration{}) return arrive(member, slot);
  after(pause, [this, &member, slot] { arrive(member, slot); });
}

void Fleet::arrive(Member& member, std::uint32_t slot) {
  const Offset offset{member.next_offset++};
  core::RecordArrived event{kPartition,   core::RecordId{slot, member.generations[slot]},
                            offset,       kLine,
                            std::nullopt, Bytes{100},
                            cost_(member.number, offset)};
  event.flow = flow_of_(member.number, slot);
  put(member, event);
}

void Fleet::put(Member& member, const core::Event& event) {
  member.gate.handle(event, now_, member.commands);
  for (const core::Command& command : std::exchange(member.commands, {})) {
    std::visit([&](const auto& it) { perform(member, it); }, command);
  }
  set_timer(member);
}

void Fleet::set_timer(Member& member) {
  const std::optional<Instant> wakes = member.gate.next_wakeup();
  if (wakes == member.wakes) return;
  member.wakes = wakes;
  const std::uint64_t timer = ++member.timer;
  if (!wakes) return;
  const auto late =
      static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(around_.late.us + 1));
  after(std::max(Duration{}, *wakes - now_) + Duration{late}, [this, &member, timer] {
    if (timer != member.timer) return;
    member.wakes.reset();
    put(member, core::TimePassed{});
  });
}

void Fleet::perform(Member& member, const core::Ask& ask) {
  ++asks_;
  after(around_.answer / 2, [this, &member, ask] {
    const core::PermitsAnswered answer = member.limiter->ask(ask, now_);
    after(around_.answer - around_.answer / 2, [this, &member, answer] { put(member, answer); });
  });
}

void Fleet::perform(Member& member, const core::Send& send) {
  stamps_.push_back(send.permit.stamp);
  left_.push_back({now_, flow_of_(member.number, send.record.slot).key, member.number});
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  const core::Outcome outcome =
      outcome_ ? outcome_(member.number, now_) : core::Outcome::accepted;
  after(around_.attempt, [this, &member, send, outcome] {
    --under_way_;
    put(member, core::DeliveryEnded{send.record, send.attempt, outcome, {}});
  });
}

void Fleet::perform(Member& member, const core::Forget& forget) {
  ++member.generations[forget.record.slot];
  after({}, [this, &member, slot = forget.record.slot] { come(member, slot); });
}

void Fleet::perform(Member& member, const core::Release& release) {
  after(around_.answer / 2, [this, &member, release] { member.limiter->release(release, now_); });
}

void Fleet::perform(Member& member, const core::Ended& ended) {
  after(around_.answer / 2, [this, &member, ended] { member.limiter->ended(ended, now_); });
}

void Fleet::perform(Member& member, const core::Commit&) {
  after({}, [this, &member] { put(member, core::CommitEnded{core::CommitResult::committed}); });
}

}  // namespace einlass::conformance
