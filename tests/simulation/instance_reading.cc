// How an instance reads its partitions, and what it tells the gate of each record.
#include <memory>
#include <vector>

#include "instance.h"
#include "world.h"

namespace einlass::simulation {

void Instance::take_records() {
  if (stopping_) return;
  int budget = world_.settings.poll_budget;
  for (std::size_t idle = 0; idle < assignments_.size() && budget > 0; ++next_read_) {
    const std::shared_ptr<Assignment> next = assignments_[next_read_ % assignments_.size()];
    if (next && take_record(*next)) {
      idle = 0;
      --budget;
    } else {
      ++idle;
    }
  }
  if (budget == 0) wake(Duration::micros(world_.dice.between(1, 500)));
}

bool Instance::take_record(Assignment& from) {
  std::vector<LogRecord>& log = world_.kafka.log(from.partition);
  if (from.held || from.leaving || from.position == log.size()) return false;
  while (log[from.position].deleted) {
    if (++from.position == log.size()) return false;
  }
  LogRecord& record = log[from.position];
  if (record.appended > world_.timeline.now()) return false;
  if (record.filtered) {
    ++from.position;
    record.finished = true;
    handle(core::RecordFiltered{from.id, record.offset, record.handed_on});
    return true;
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t number = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[number];
  ++slot.use;
  slot.partition = from.partition;
  slot.index = from.position++;
  core::RecordArrived arrived{from.id, {number, slot.use}, record.offset, {}, {}, record.size};
  arrived.content = record.size;
  // As long as the names of records; some cannot stand in a request with others.
  const bool named = record.offset.value % 11 != 0;
  if (named) arrived.name_size = static_cast<std::uint16_t>(10 + record.offset.value % 30);
  const core::RouteId route = record.handed_on.value_or(world_.kafka.route(from.partition));
  arrived.route = record.handed_on;
  arrived.line = line_for(route, record.key);
  if (record.ordered) arrived.lane = core::LaneKey{static_cast<std::uint64_t>(record.key)};
  arrived.cost = record.cost;
  if (record.bad_key) arrived.doom = core::DeadLetterReason::bad_key;
  arrived.not_before = record.not_before;
  arrived.expires = record.expires;
  // A few flows of each level, each with its weight.
  const auto key = static_cast<std::uint64_t>(record.key);
  const std::uint64_t levels = world_.settings.gate.routes[route.value].share.levels;
  if (levels > 0) {
    arrived.flow = {core::FlowKey{key % 7}, static_cast<std::uint16_t>(1 + key % 7 * 3),
                    static_cast<std::uint8_t>(key / 7 % levels)};
    arrived.flow.in_fleet = FlowId{100 + key % 7};
  }
  handle(arrived);
  return true;
}

}  // namespace einlass::simulation
