#include "core/gate/gate.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "units/check.h"

namespace einlass::core {
namespace {

// A record that no limit could ever pay: the limits may be changed meanwhile.
constexpr Duration kAskAgainForNever = Duration::seconds(30);

// What records inside, lines and stores rely on.
bool same_shape(const RouteOptions& a, const RouteOptions& b) {
  return a.target == b.target && a.order == b.order && a.limit_count == b.limit_count &&
         a.shared_limits == b.shared_limits && a.limits == b.limits &&
         a.held_limits == b.held_limits && a.cost_varies == b.cost_varies &&
         a.dead_letter == b.dead_letter && a.share == b.share && a.fleet_limits == b.fleet_limits;
}

}  // namespace

Gate::Gate(const GateOptions& options)
    : options_(options),
      stats_(options.routes.size()),
      records_(options.routes.size()),
      intake_(options_),
      delivery_(options_, records_, deadlines_),
      admission_(options_, records_, delivery_, deadlines_, stats_),
      commits_(options_, records_, intake_, delivery_, deadlines_) {
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const RouteOptions& route = options.routes[i];
    CHECK(route.target.value < options.targets.size());
    CHECK(route.limit_count == 0 || route.store.value < options.stores);
    CHECK(route.share.levels <= kMostLevels);
    stats_[i].limits.resize(route.limit_count);
    stats_[i].share_permits.resize(route.share.levels * (kNamedFlows + 1));
  }
}

void Gate::handle(const Event& event, Instant now, Commands& commands) {
  CHECK(now >= now_);
  now_ = now;
  expire_due(now, commands);
  std::visit([&](const auto& it) { on(it, now, commands); }, event);
  serve_targets(now, commands);
}

void Gate::reconfigure(const GateOptions& options, Instant now, Commands& commands) {
  CHECK(now >= now_);
  CHECK(options.stores == options_.stores);
  CHECK(options.targets.size() == options_.targets.size());
  CHECK(options.routes.size() == options_.routes.size());
  for (std::size_t i = 0; i < options.targets.size(); ++i) {
    CHECK(options.targets[i].max_in_flight > 0);
    CHECK(options.targets[i].retry_share == options_.targets[i].retry_share);
    CHECK((options.targets[i].batch.records > 1) == (options_.targets[i].batch.records > 1));
    CHECK(options.targets[i].transactional == options_.targets[i].transactional);
  }
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    CHECK(same_shape(options.routes[i], options_.routes[i]));
    // What was counted under one name must not go on under another.
    if (options.routes[i].flow_names == options_.routes[i].flow_names) continue;
    std::ranges::fill(stats_[i].share_permits, 0);
  }
  now_ = now;
  expire_due(now, commands);
  admission_.wait_for_stores_no_more();  // A route may have another store from now on.
  options_ = options;
  delivery_.look_again(now);
  intake_.look_again(commands);
  admission_.look_again(now, commands);
  commits_.arm(now);
  serve_targets(now, commands);
}

// Records that go together leave here alone.
void Gate::serve_targets(Instant now, Commands& commands) {
  const std::size_t before = commands.size();
  admission_.serve_waiting(now, commands);
  commits_.begin_transactions(before, commands);
}

// ---- what happens to a record ----

void Gate::make_ready(Slot slot, Instant now, Commands& commands) {
  Record& record = records_[slot];
  const bool was_behind = record.state == RecordState::behind;
  if (!record.doom && record.not_before > now) return wait_early(record);
  if (record.doom) admission_.withdraw(record);
  records_.move(record, RecordState::ready);
  record.since = now;
  hope_again(record);
  if (record.doom) return dead_letter(record, *record.doom, now, commands);
  admission_.ready(record, was_behind, now, commands);
}

void Gate::on(const DeliveryEnded& event, Instant now, Commands& commands) {
  Record* found = records_.find(event.record);
  if (found == nullptr || found->attempt != event.attempt) return;
  const TargetId target = options_.routes[found->route.value].target;
  const bool open = commits_.transacts(target) && !delivery_.idle(target);
  end_attempt(*found, event, now, commands);
  if (!open || !delivery_.idle(target)) return;
  const std::span<const PartitionId> parts = commits_.end_transaction(target, event.outcome, now);
  for (const PartitionId id : parts) settle(id, now, commands);
  commits_.arm(now);
}

void Gate::end_attempt(Record& record, const DeliveryEnded& event, Instant now,
                       Commands& commands) {
  // Of an abandoned record it is the attempt that ends here only if no dead letter was on its way.
  const bool abandoned = record.state == RecordState::abandoned && !record.doom;
  if (record.state != RecordState::attempting && !abandoned) return;
  const RouteOptions& route = options_.routes[record.route.value];
  delivery_.ended(record, event, now);
  admission_.touch(route.target);
  if (event.hold_target) delivery_.hold(route.target, *event.hold_target, now);
  if (!abandoned && record.leads) admission_.place_free(record, now, commands);
  admission_.ended(record, now, commands);
  if (abandoned) {
    if (event.outcome == Outcome::accepted) commits_.finish_abandoned(record);
    return end_abandoned(record, now, commands);
  }

  RouteStats& stats = stats_[record.route.value];
  stats.attempt_duration.observe(now - record.since);
  if (!event.counts) ++record.not_counted;
  const std::uint32_t counted = record.attempt.value - record.not_counted;
  const bool last = event.outcome == Outcome::retry && event.counts && route.attempts > 0 &&
                    counted >= route.attempts;
  // Nobody is a dead letter for what may be another's fault.
  if (event.together > 1 && (event.outcome == Outcome::refused || last)) {
    return go_on_in_part(record, event, now, commands);
  }
  switch (event.outcome) {
    case Outcome::accepted:
      ++stats.attempts_accepted;
      ++stats.delivered;
      finish(record, now, commands);
      return;
    case Outcome::refused:
      ++stats.attempts_refused;
      if (route.dead_letter) {
        const auto reason =
            event.too_large ? DeadLetterReason::too_large : DeadLetterReason::refused;
        return dead_letter(record, reason, now, commands);
      }
      break;
    case Outcome::retry:
      ++stats.attempts_retry;
      if (route.dead_letter && last) {
        return dead_letter(record, DeadLetterReason::attempts, now, commands);
      }
      if (event.over_one) record.most_together = std::max(1u, event.together / 2);
      break;
  }
  if (intake_[record.partition].phase == PartitionPhase::assigned) {
    return try_again(record, now, commands, event.wait);
  }
  give_back(record, now, commands);
}

void Gate::try_again(Record& record, Instant now, Commands& commands, Duration least) {
  if (is_too_late(record, now)) {
    return dead_letter(record, DeadLetterReason::expired, now, commands);
  }
  if (!stays_in_lane(record)) delivery_.back_off(record, now, least);
}

// In a smaller request. This attempt was not its own. A refusal needs no wait, and halves end soon.
void Gate::go_on_in_part(Record& record, const DeliveryEnded& event, Instant now,
                         Commands& commands) {
  const bool refused = event.outcome == Outcome::refused;
  RouteStats& stats = stats_[record.route.value];
  ++(refused ? stats.attempts_refused : stats.attempts_retry);
  ++record.not_counted;
  record.most_together = refused ? event.together / 2 : 1;
  if (intake_[record.partition].phase != PartitionPhase::assigned) {
    return give_back(record, now, commands);
  }
  if (is_too_late(record, now)) {
    return dead_letter(record, DeadLetterReason::expired, now, commands);
  }
  if (stays_in_lane(record)) return;
  refused ? delivery_.go_again(record, now) : delivery_.back_off(record, now);
}

// Behind what stands before it, which failed in the same request or has not ended yet.
bool Gate::stays_in_lane(Record& record) {
  if (record.doom || lanes_.is_head(record)) return false;
  records_.move(record, RecordState::behind);
  admission_.behind(record);
  return true;
}

void Gate::dead_letter(Record& record, DeadLetterReason reason, Instant now, Commands& commands) {
  if (intake_[record.partition].phase != PartitionPhase::assigned) {
    return give_back(record, now, commands);
  }
  record.doom = reason;
  records_.move(record, RecordState::dead_lettering);
  commands.push_back(DeadLetter{record.id, reason});
}

void Gate::on(const DeadLetterEnded& event, Instant now, Commands& commands) {
  Record* found = records_.find(event.record);
  if (found == nullptr) return;
  Record& record = *found;
  if (record.state == RecordState::abandoned && record.doom) {
    return end_abandoned(record, now, commands);
  }
  if (record.state != RecordState::dead_lettering) return;
  if (event.acknowledged) {
    ++stats_[record.route.value].dead_lettered[static_cast<std::size_t>(*record.doom)];
    return finish(record, now, commands);
  }
  if (intake_[record.partition].phase == PartitionPhase::assigned) {
    return try_again(record, now, commands);
  }
  give_back(record, now, commands);
}

void Gate::finish(Record& record, Instant now, Commands& commands) {
  const PartitionId id = record.partition;
  intake_[id].ledger.finish(record.entry);
  // A transaction has committed what it delivered.
  const bool committed = record.state == RecordState::attempting && commits_.transacts(id);
  if (!committed) commits_.mark_finished(id, now);
  take_leave(record, now, commands);
  settle(id, now, commands);
}

void Gate::give_back(Record& record, Instant now, Commands& commands) {
  const PartitionId id = record.partition;
  ++stats_[record.route.value].returned;
  take_leave(record, now, commands);
  settle(id, now, commands);
}

// Out of its lane, its line and its partition; what follows from that for others; and forgotten.
void Gate::take_leave(Record& record, Instant now, Commands& commands) {
  admission_.withdraw(record);
  deadlines_.clear({Alarm::Kind::record, record.id.slot});
  deadlines_.clear({Alarm::Kind::expiry, record.id.slot});
  const Slot next = lanes_.leave(records_, record);
  --stats_[record.route.value].inside;
  hope_again(record);
  records_.move(record, RecordState::absent);
  commands.push_back(Forget{record.id});
  intake_.leave(record, commands);
  const bool go_on = intake_[record.partition].phase == PartitionPhase::assigned;
  // It may be on its way already, in one request with this one.
  const bool waits = next != kNoSlot && records_[next].state == RecordState::behind;
  if (waits && go_on) make_ready(next, now, commands);
  admission_.leave(record, now, commands);
}

// The attempt goes on outside, but the record is Kafka's again.
void Gate::abandon(Record& record, Instant now, Commands& commands) {
  if (record.state == RecordState::attempting && record.leads) {
    admission_.place_free(record, now, commands);
  }
  lanes_.leave(records_, record);
  deadlines_.clear({Alarm::Kind::expiry, record.id.slot});
  --stats_[record.route.value].inside;
  ++stats_[record.route.value].returned;
  records_.move(record, RecordState::abandoned);
  intake_.leave(record, commands);
  if (!keeps_its_line(record)) admission_.leave(record, now, commands);
}

void Gate::end_abandoned(Record& record, Instant now, Commands& commands) {
  const bool leaves = keeps_its_line(record);
  records_.move(record, RecordState::absent);
  commands.push_back(Forget{record.id});
  if (leaves) admission_.leave(record, now, commands);
}

// Its attempt's end must be told to the limits that count those under way.
bool Gate::keeps_its_line(const Record& record) const {
  return options_.routes[record.route.value].held_limits != 0 && !record.doom;
}

void Gate::on(const TargetHold& event, Instant now, Commands&) {
  CHECK(event.target.value < options_.targets.size());
  delivery_.hold(event.target, event.length, now);
}

// ---- what happens to permits ----

void Gate::on(const PermitsAnswered& event, Instant now, Commands& commands) {
  const Slot hopeless = admission_.answered(event, now, commands);
  if (hopeless == kNoSlot) return;
  Record& record = records_[hopeless];
  const RouteOptions& route = options_.routes[record.route.value];
  if (route.dead_letter && !event.stand_in) {
    admission_.withdraw(record);
    dead_letter(record, DeadLetterReason::never, now, commands);
  } else if (route.cost_varies) {
    set_aside(record, now);
  }
  admission_.serve(event.line, now, commands);
}

// Others of its line may cost less: it waits elsewhere, and only its lane waits with it.
void Gate::set_aside(Record& record, Instant now) {
  admission_.withdraw(record);
  records_.move(record, RecordState::backing_off);
  record.never = true;
  admission_.set_aside(record);
  ++stats_[record.route.value].never;
  deadlines_.set({Alarm::Kind::record, record.id.slot}, now + kAskAgainForNever);
}

void Gate::hope_again(Record& record) {
  if (!std::exchange(record.never, false)) return;
  admission_.hope_again(record);
  --stats_[record.route.value].never;
}

void Gate::on(const PermitsFailed& event, Instant now, Commands& commands) {
  admission_.failed(event, now, commands);
}

void Gate::on(const LimitsChanged& event, Instant now, Commands& commands) {
  admission_.limits_changed(event, now, commands);
}

void Gate::on(const StoreDown& event, Instant, Commands&) { admission_.store_down(event.store); }

void Gate::on(const StoreUp& event, Instant now, Commands& commands) {
  admission_.store_up(event.store, now, commands);
}

void Gate::on(const RoutePaused& event, Instant now, Commands& commands) {
  intake_.pause(event.route, event.paused, commands);
  admission_.pause(event.route, event.paused, now, commands);
}

void Gate::on(const LinePaused& event, Instant now, Commands& commands) {
  admission_.pause(event.line, event.paused, now, commands);
}

void Gate::on(const PartitionPaused& event, Instant, Commands& commands) {
  intake_.pause(event.partition, event.paused, commands);
}

// ---- time ----

void Gate::on(const TimePassed&, Instant now, Commands& commands) {
  while (const auto alarm = deadlines_.pop_due(now)) ring(*alarm, now, commands);
}

void Gate::ring(Alarm alarm, Instant now, Commands& commands) {
  switch (alarm.kind) {
    case Alarm::Kind::record: {
      Record& record = records_[alarm.index];
      CHECK(record.state == RecordState::backing_off || record.state == RecordState::early);
      if (record.doom) return dead_letter(record, *record.doom, now, commands);
      return make_ready(alarm.index, now, commands);
    }
    case Alarm::Kind::expiry:
      return expire(records_[alarm.index], now, commands);
    case Alarm::Kind::line:
      return admission_.serve(LineId{alarm.index}, now, commands);
    case Alarm::Kind::target:
    case Alarm::Kind::batch:
      return admission_.touch(TargetId{static_cast<std::uint16_t>(alarm.index)});
    case Alarm::Kind::limit:
      return admission_.touch_limit(alarm.index);
    case Alarm::Kind::partition:
      return settle(PartitionId{alarm.index}, now, commands);
    case Alarm::Kind::commit:
      return commits_.send(now, commands);
  }
}

}  // namespace einlass::core
