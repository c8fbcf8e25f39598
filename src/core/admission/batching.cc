// Of Admission: records that go to their target together, in one request.
//
// Nothing is taken out of its line while a request is being filled: a record with a permit stays
// ready, and its line waits for room, until as many have gathered as one request takes, or the
// first of them has waited for the linger time. Then they leave in one turn. So holds,
// reloads and partitions that are given back find each record where it always is.
//
// Records of a lane may go together, for a request keeps their order; what is left of the lane
// waits until the request has ended, as behind a single record.
#include <algorithm>

#include "core/admission/admission.h"
#include "units/check.h"

namespace einlass::core {

void Admission::followed(const Record& record, Instant now, Commands& commands) {
  Line& line = lines_[record.line.value];
  if (goes_together(line)) serve(line, now, commands);
}

// How many records of the line might go now. Those behind a record that is at the target cannot;
// which those are is not looked for, so that what stands behind others only counts while none is.
std::int64_t Admission::gatherable(const Line& line, Instant now) const {
  if (!picker_.may_send(line, now)) return 0;
  const std::int64_t records = line.count() + (line.is_at_target() ? 0 : line.behind);
  if (route_of(line).limit_count == 0) return records;
  const auto later = [](Instant at, const HeldPermit& permit) { return at < permit.due; };
  const auto due = std::upper_bound(line.permits.begin(), line.permits.end(), now, later);
  return std::min<std::int64_t>(records, due - line.permits.begin());
}

// Puts the line where its records are gathered, or takes it away.
void Admission::gather(Line& line, Instant now) {
  TargetQueues& target = queues_of(line);
  const std::int64_t gathered = gatherable(line, now);
  if (gathered > 0) {
    // Who has waited for a place alone has not waited for company.
    const bool begins = std::exchange(target.nobody_leads, false) || target.gathered == 0;
    if (begins) target.gather_until = now + batch_of(line).linger;
    wait_for(line, LineWaits::room, kNoKeyless, std::exchange(line.lapsed, false));
  } else if (line.waits == LineWaits::room) {
    wait_no_more(line);
  }
  target.gathered += gathered - line.gathered;
  line.gathered = gathered;
  target.touched = true;
}

bool Admission::is_ripe(TargetId id, Instant now) const {
  const TargetQueues& target = targets_[id.value];
  return target.gathered >= options_.targets[id.value].batch.records || now >= target.gather_until;
}

void Admission::serve_batches(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  call_aside(target, now, commands);
  // While a request gathers, whoever has its part already may fill it, or take what else is free.
  do {
    while (!target.room.empty() && delivery_.room(id, now) > 0 && is_ripe(id, now)) {
      if (!send_batch(id, now, commands)) break;
    }
  } while ((target.room.empty() || !is_ripe(id, now)) && serve_parked(id, now, commands));
  const Alarm alarm{Alarm::Kind::target_queue, id.value};
  if (target.room.empty() || target.gather_until <= now) return deadlines_.clear(alarm);
  deadlines_.set(alarm, target.gather_until);
}

// One request, with records of the lines that wait, in turn. Whose first record is too much for it
// leads the next one. False if none may go.
bool Admission::send_batch(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  target.nobody_leads = false;
  Batch batch(options_.targets[id.value].batch);
  bool takes = true;
  std::uint32_t passed_by = 0;  // They have no place, but may go with one who has.
  for (std::uint32_t left = target.room.size(); left > 0 && takes && !batch.full(); --left) {
    if (target.room.empty()) break;
    Line& line = lines_[target.room.next(lines_, target.retries)];
    give_back_useless(line, now, commands);
    wait_no_more(line);
    const std::uint32_t had = line.count();
    const bool goes = !batch.empty() || places_.left(line, now) > 0;
    goes ? void(takes = fill(line, batch, now, commands)) : void(++passed_by);
    gather(line, now);
    if (!takes && line.count() == had) wait_for(line, LineWaits::room, kNoKeyless, true);
    go_on(line, now, commands);
    if (!batch.empty()) left += std::exchange(passed_by, 0);
  }
  target.nobody_leads = batch.empty();
  return !batch.empty();
}

// False if the next record of the line is too much.
bool Admission::fill(Line& line, Batch& batch, Instant now, Commands& commands) {
  while (!batch.full() && picker_.may_send(line, now)) {
    Record& record = records_[picker_.first_of(line)];
    if (!batch.takes(record)) return false;
    list_of(line, record).erase(records_, record.id.slot);
    add(line, record, batch, now, commands);
    add_followers(line, record, batch, now, commands);
    if (picker_.by_record(line)) give_back_useless(line, now, commands);
  }
  return true;
}

// What stands behind a record in its lane goes with it, as far as it has permits.
void Admission::add_followers(Line& line, const Record& head, Batch& batch, Instant now,
                              Commands& commands) {
  for (Slot slot = head.in_lane.next; slot != kNoSlot && !batch.full();
       slot = records_[slot].in_lane.next) {
    Record& record = records_[slot];
    if (!may_follow(line, record, now) || !batch.takes(record)) return;
    --line.behind;
    record.since = now;
    if (line.flows) line.flows->push_back(records_, record);  // It is charged for too.
    add(line, record, batch, now, commands);
  }
}

bool Admission::may_follow(const Line& line, const Record& record, Instant now) const {
  if (record.state != RecordState::behind || record.doom || record.not_before > now) return false;
  if (record.line != line.id) return false;
  if (route_of(line).limit_count == 0) return true;
  if (line.permits.empty() || line.permits.front().due > now) return false;
  const Permit& permit = line.permits.front().permit;
  const bool its = !permit.flow ||
                   (*permit.flow == record.flow.in_fleet && permit.flow_level == record.flow.level);
  if (!its) return false;
  return !route_of(line).cost_varies || record.cost == line.permits.front().permit.cost;
}

void Admission::add(Line& line, Record& record, Batch& batch, Instant now, Commands& commands) {
  const bool leads = batch.empty();
  if (leads) {
    places_.take(line);
    ++line.in_flight;
  } else {
    ++line.followers;
  }
  send(line, record, leads, now, commands);
  batch.add(record, commands);
}

}  // namespace einlass::core
