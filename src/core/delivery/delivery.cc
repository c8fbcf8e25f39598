#include "core/delivery/delivery.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "units/check.h"

namespace einlass::core {

Delivery::Delivery(const GateOptions& options, Records& records, Deadlines& deadlines)
    : options_(options), records_(records), deadlines_(deadlines), random_(options.seed) {
  for (const TargetOptions& target : options.targets) {
    CHECK(target.max_in_flight > 0);
    CHECK(!target.transactional || (target.max_in_flight == 1 && target.batch.records > 1));
    targets_.push_back(Availability{0, false, {}, Instant{}, Breaker(target.breaker)});
  }
}

std::uint32_t Delivery::room(TargetId target, Instant now) const {
  const Availability& at = targets_[target.value];
  if (at.hold_until > now || at.committing || !is_ready(target)) return 0;
  const std::uint32_t most = options_.targets[target.value].max_in_flight;
  const std::uint32_t free = at.in_flight >= most ? 0 : most - at.in_flight;
  if (at.breaker.closed()) return free;
  return at.breaker.lets_through(now) ? std::min<std::uint32_t>(free, 1) : 0;
}

bool Delivery::is_ready(TargetId target) const {
  const Bytes most = options_.targets[target.value].at_once;
  return most.value == 0 || targets_[target.value].since_ready.value < most.value;
}

// Another target may stand for what this one was.
void Delivery::look_again(Instant now) {
  for (std::uint16_t i = 0; i < targets_.size(); ++i) {
    ready(TargetId{i});
    targets_[i].breaker.set_options(options_.targets[i].breaker);
    arm(TargetId{i}, now);
  }
}

Instant Delivery::held_until(TargetId target) const {
  const Availability& at = targets_[target.value];
  return std::max(at.hold_until, at.breaker.open_until());
}

void Delivery::send(Record& record, const Permit& permit, Instant due, bool leads, Instant now,
                    Commands& commands) {
  const TargetId target = options_.routes[record.route.value].target;
  record.leads = leads;
  Availability& at = targets_[target.value];
  CHECK(!leads || room(target, now) > 0);
  if (leads) at.breaker.sent(record.id);
  // The next transaction must know what became of each record of this one.
  if (leads || options_.targets[target.value].transactional) ++at.in_flight;
  at.since_ready.value += record.size.value;
  ++record.attempt.value;
  record.since = now;
  record.permit = permit;
  records_.move(record, RecordState::attempting);
  // Written in its place: it is much to copy, for each record.
  Send& send = std::get<Send>(commands.emplace_back(std::in_place_type<Send>));
  send.record = record.id;
  send.target = target;
  send.attempt = record.attempt;
  send.permit = permit;
  send.due = due;
  if (record.failed_at != kNever) send.failed_ago = now - record.failed_at;
}

void Delivery::ended(Record& record, const DeliveryEnded& event, Instant now) {
  const TargetId target = options_.routes[record.route.value].target;
  Availability& at = targets_[target.value];
  if (record.leads || options_.targets[target.value].transactional) {
    CHECK(at.in_flight > 0);
    --at.in_flight;
  }
  const Instant failed_before = record.failed_at;
  if (event.asked && event.outcome == Outcome::retry) record.failed_at = now;
  // One request fails once; but each record that it brought home is an answer.
  if (!record.leads && (event.outcome == Outcome::retry || !event.asked)) return;
  const bool was_closed = at.breaker.closed();
  if (event.asked) {
    at.breaker.ended({record.id, record.since, failed_before, event.outcome, event.answered}, now);
  } else {
    at.breaker.not_asked(record.id);
  }
  if (!was_closed || !at.breaker.closed()) arm(target, now);
}

void Delivery::hold(TargetId target, Duration length, Instant now) {
  Availability& at = targets_[target.value];
  at.hold_until = std::max(at.hold_until, now + length);
  arm(target, now);
}

void Delivery::arm(TargetId target, Instant now) {
  const Instant until = held_until(target);
  const Alarm alarm{Alarm::Kind::target, target.value};
  until > now ? deadlines_.set(alarm, until) : deadlines_.clear(alarm);
}

void Delivery::back_off(Record& record, Instant now, Duration least) {
  const RouteOptions& route = options_.routes[record.route.value];
  // Doubled with each attempt that the target was asked in, whoever is at fault, and each time that
  // its dead letter could not be written: beyond 30 doublings every maximum is reached.
  constexpr std::uint32_t kMost = 31;
  if (record.doom && record.unwritten < kMost) ++record.unwritten;
  const std::uint32_t tries =
      std::min(record.attempt.value - record.not_asked, kMost) + record.unwritten;
  const std::uint32_t doublings = std::clamp<std::uint32_t>(tries, 1, kMost) - 1;
  std::int64_t most = route.retry_max.us;
  if (route.retry_initial.us <= (route.retry_max.us >> doublings)) {
    most = route.retry_initial.us << doublings;
  }
  records_.move(record, RecordState::backing_off);
  deadlines_.set({Alarm::Kind::record, record.id.slot},
                 now + least + Duration{random_.up_to(most)});
}

void Delivery::go_again(Record& record, Instant now) {
  records_.move(record, RecordState::backing_off);
  deadlines_.set({Alarm::Kind::record, record.id.slot}, now);
}

}  // namespace einlass::core
