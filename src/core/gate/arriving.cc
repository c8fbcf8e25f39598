// Of Gate: records as they come, and what they say of their own time.
#include "core/gate/gate.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// What the event says of the record itself.
void copy(const RecordArrived& event, Record& record) {
  record.line = event.line;
  record.size = event.size;
  record.content = event.content;
  record.name_size = event.name_size;
  record.named_apart = event.named_apart;
  record.offset = event.offset;
  record.cost = event.cost;
  record.flow = event.flow;
  record.not_before = event.not_before;
  record.expires = event.expires;
}

}  // namespace

void Gate::on(const RecordArrived& event, Instant now, Commands& commands) {
  if (!intake_.takes(event.partition)) return turn_away(event, now, commands);
  Partition& partition = intake_[event.partition];
  if (partition.ledger.knows(event.offset)) {
    pass_over(event.partition, event.offset, now);
    ++stats_[event.route.value_or(partition.route).value].finished_before;
    return turn_away(event, now, commands);
  }
  const RouteId route = event.route.value_or(partition.route);
  CHECK(route == partition.route || !(commits_.transacts(event.partition) ||
                                      commits_.transacts(options_.routes[route.value].target)));
  const Order order = options_.routes[route.value].order;
  const auto lane = lanes_.lane_of(order, route, event.partition, event.lane);
  const bool free = lanes_.free(lane);
  const std::optional<DeadLetterReason> doom = doom_of(event, now);
  const bool early = free && !doom && event.not_before > now;
  const RecordState state = early  ? RecordState::early
                            : free ? RecordState::ready
                                   : RecordState::behind;
  Record& record = records_.enter(event.record, route, event.partition, lane, state);
  copy(event, record);
  record.doom = doom;
  if (!doom && event.expires != kNever) {
    CHECK(options_.routes[route.value].dead_letter);
    deadlines_.set({Alarm::Kind::expiry, event.record.slot}, event.expires);
  }
  record.since = now;
  record.entry = partition.ledger.arrive(event.offset, event.record.slot);
  ++stats_[route.value].received;
  ++stats_[route.value].inside;
  lanes_.enter(records_, record);
  intake_.enter(record, commands);
  admission_.enter(record);
  if (!free) return admission_.followed(record, now, commands);
  if (record.doom) return dead_letter(record, *record.doom, now, commands);
  if (early) return deadlines_.set({Alarm::Kind::record, event.record.slot}, event.not_before);
  admission_.ready(record, false, now, commands);
}

// Why it can only become a dead letter, as it comes.
std::optional<DeadLetterReason> Gate::doom_of(const RecordArrived& event, Instant now) {
  if (event.doom) return event.doom;
  if (event.expires <= now) return DeadLetterReason::expired;
  return std::nullopt;
}

void Gate::on(const RecordFiltered& event, Instant now, Commands& commands) {
  if (!intake_.takes(event.partition)) return;
  Partition& partition = intake_[event.partition];
  RouteStats& stats = stats_[event.route.value_or(partition.route).value];
  if (partition.ledger.knows(event.offset)) {
    ++stats.finished_before;
  } else {
    ++stats.received;
    ++stats.filtered;
  }
  pass_over(event.partition, event.offset, now);
  intake_.passed_over(event.partition, commands);
}

// Kafka has the record still, as where its partition is given back by a stop in the same turn.
void Gate::turn_away(const RecordArrived& event, Instant now, Commands& commands) {
  commands.push_back(Forget{event.record});
  admission_.serve(event.line, now, commands);
}

// Nothing more is to be done for it, as where whoever had the partition before has finished it.
void Gate::pass_over(PartitionId id, Offset offset, Instant now) {
  Ledger& ledger = intake_[id].ledger;
  const Offset before = ledger.committable();
  ledger.pass_over(offset);
  if (ledger.committable() != before) commits_.mark_dirty(id, now);
}

// ---- a record's own time ----

// Where a record is due to leave for its own time's sake, it does so before anything else happens.
void Gate::expire_due(Instant now, Commands& commands) {
  while (const auto slot = deadlines_.pop_due(Alarm::Kind::expiry, now)) {
    expire(records_[*slot], now, commands);
  }
}

// It is the first of its lane, whose time has not come.
void Gate::wait_early(Record& record) {
  admission_.withdraw(record);
  records_.move(record, RecordState::early);
  deadlines_.set({Alarm::Kind::record, record.id.slot}, record.not_before);
}

// One behind others leaves in its turn. One at its target may be accepted still.
void Gate::expire(Record& record, Instant now, Commands& commands) {
  if (record.doom) return;
  switch (record.state) {
    case RecordState::behind:
      record.doom = DeadLetterReason::expired;
      return;
    case RecordState::ready:
      admission_.withdraw(record);
      dead_letter(record, DeadLetterReason::expired, now, commands);
      return admission_.serve(record.line, now, commands);
    case RecordState::early:
    case RecordState::backing_off:
      deadlines_.clear({Alarm::Kind::record, record.id.slot});
      hope_again(record);
      return dead_letter(record, DeadLetterReason::expired, now, commands);
    default:
      return;
  }
}

}  // namespace einlass::core
