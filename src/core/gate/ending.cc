// Of Gate: how attempts and dead letters end, and how records leave.
#include <algorithm>
#include <span>

#include "core/gate/gate.h"

namespace einlass::core {
namespace {

void count_attempt(RouteStats& stats, const DeliveryEnded& event, Duration took) {
  if (!event.sent) return;
  stats.attempt_duration.observe(took);
  switch (event.outcome) {
    case Outcome::accepted:
      ++stats.attempts_accepted;
      return;
    case Outcome::retry:
      ++stats.attempts_retry;
      return;
    case Outcome::refused:
      ++stats.attempts_refused;
      return;
  }
}

}  // namespace

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
  // Whose the limits' place is to be is said before its line may ask for another.
  admission_.ended(record, now, commands);
  if (!abandoned) admission_.place_free(record, now, commands);
  if (abandoned) {
    if (event.outcome == Outcome::accepted) commits_.finish_abandoned(record);
    return end_abandoned(record, now, commands);
  }

  RouteStats& stats = stats_[record.route.value];
  count_attempt(stats, event, now - record.since);
  if (!event.counts) ++record.not_counted;
  if (!event.asked) ++record.not_asked;
  const std::uint32_t counted = record.attempt.value - record.not_counted;
  const bool last = event.outcome == Outcome::retry && event.counts && route.attempts > 0 &&
                    counted >= route.attempts;
  // Nobody is a dead letter for what may be another's fault.
  if (event.together > 1 && (event.outcome == Outcome::refused || last)) {
    return go_on_in_part(record, event, now, commands);
  }
  switch (event.outcome) {
    case Outcome::accepted:
      ++stats.delivered;
      finish(record, now, commands);
      return;
    case Outcome::refused:
      if (route.dead_letter) {
        const auto reason =
            event.too_large ? DeadLetterReason::too_large : DeadLetterReason::refused;
        return dead_letter(record, reason, now, commands);
      }
      break;
    case Outcome::retry:
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
  if (may_try_again(record, now, commands)) delivery_.back_off(record, now, least);
}

bool Gate::may_try_again(Record& record, Instant now, Commands& commands) {
  if (stays_in_lane(record, now)) return false;
  if (!is_too_late(record, now)) return true;
  dead_letter(record, DeadLetterReason::expired, now, commands);
  return false;
}

// In a smaller request. This attempt was not its own, where it was not left out of the count
// before. A refusal needs no wait, and halves end soon.
void Gate::go_on_in_part(Record& record, const DeliveryEnded& event, Instant now,
                         Commands& commands) {
  const bool refused = event.outcome == Outcome::refused;
  record.not_counted += event.counts;
  record.not_asked += event.asked;
  record.most_together = refused ? event.together / 2 : 1;
  if (intake_[record.partition].phase != PartitionPhase::assigned) {
    return give_back(record, now, commands);
  }
  if (!may_try_again(record, now, commands)) return;
  refused ? delivery_.go_again(record, now) : delivery_.back_off(record, now, event.wait);
}

// Behind what stands before it, which failed in the same request or has not ended yet. If it is too
// late by now it becomes a dead letter in its turn.
bool Gate::stays_in_lane(Record& record, Instant now) {
  if (record.doom || lanes_.is_head(record)) return false;
  if (is_too_late(record, now)) record.doom = DeadLetterReason::expired;
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
  if (record.state == RecordState::attempting) {
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

}  // namespace einlass::core
