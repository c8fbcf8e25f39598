#include "kafka_world.h"

#include <algorithm>
#include <string>

#include "timeline.h"
#include "trace.h"

namespace einlass::simulation {

namespace {

// Often the same in a row; now and then more than its limits could ever pay, where it may go to the
// dead letter topic.
Permits draw_cost(Dice& dice, const RouteSettings& route, bool hopeless) {
  if (!route.options.cost_varies) return {1};
  if (hopeless && route.options.dead_letter && dice.chance(0.01)) return {route.most_cost + 1};
  return {dice.chance(0.7) ? 1 : dice.between(1, route.most_cost)};
}

// Of its own, now and then of both kinds, and so that its life is over before it begins.
void draw_times(Dice& dice, const Settings& settings, bool dead_letter, LogRecord& record) {
  const Duration life = dice.duration(Duration::micros(1), Duration::seconds(3));
  const Duration wait = dice.duration(Duration::micros(1), kLongestEarly);
  if (dice.chance(settings.of(Fault::expires)) && dead_letter) {
    record.expires = record.appended + life;
  }
  if (dice.chance(settings.of(Fault::early))) record.not_before = record.appended + wait;
}

bool transacts(const Settings& settings, std::size_t route) {
  return settings.gate.targets[settings.gate.routes[route].target.value].transactional;
}

// What its own route would make of it, the other must be able to make of it too.
void draw_route(Dice& dice, const Settings& settings, std::size_t from, LogRecord& record) {
  const auto last = static_cast<std::int64_t>(settings.routes.size()) - 1;
  const auto to = static_cast<std::size_t>(dice.between(0, last));
  const RouteSettings& route = settings.routes[to];
  if (!dice.chance(settings.of(Fault::handed_on)) || to == from) return;
  if (transacts(settings, from) || transacts(settings, to)) return;
  record.handed_on = core::RouteId{static_cast<std::uint16_t>(to)};
  record.key = std::min(record.key, route.keys - 1);
  const bool costs = route.options.cost_varies;
  record.cost = costs ? std::min(record.cost, Permits{route.most_cost}) : Permits{1};
  if (route.options.dead_letter) return;
  record.bad_key = false;
  record.expires = kNever;
}

std::vector<core::OffsetRange> read_back(Offset next, const std::string& text) {
  auto ranges = core::read_finished(next, text);
  if (!ranges) throw Failure("finished_text", text);
  return *ranges;
}

}  // namespace

KafkaWorld::KafkaWorld(const Settings& settings) {
  Dice dice(settings.seed, "kafka");
  for (const std::size_t route : settings.partitions) {
    partitions_.push_back(fill(route, settings, dice));
  }
}

// Records come in bursts; offsets have gaps, as compaction and transactions leave them.
KafkaWorld::Partition KafkaWorld::fill(std::size_t route, const Settings& settings,
                                       Dice& dice) const {
  Partition partition;
  partition.route.value = static_cast<std::uint16_t>(route);
  const std::int64_t count = dice.between(0, settings.records);
  // Where a log begins after years, too.
  Offset offset{dice.chance(0.5) ? 0 : dice.spread(1, std::int64_t{1} << 62)};
  const Instant start = Timeline().now();
  Instant at = start;
  const bool backlog = dice.chance(0.3);
  const Duration gap{settings.chaos.us / (count + 1)};
  const double unordered = dice.chance(0.3) ? 0.3 : 0;
  Dice bad(settings.seed, "bad records of " + std::to_string(partitions_.size()));
  Dice bad_key(settings.seed, "bad keys of " + std::to_string(partitions_.size()));
  Dice filtered(settings.seed, "filtered records of " + std::to_string(partitions_.size()));
  Dice times(settings.seed, "times of records of " + std::to_string(partitions_.size()));
  Dice routes(settings.seed, "routes of records of " + std::to_string(partitions_.size()));
  const bool dead_letter = settings.routes[route].options.dead_letter;
  std::int64_t alike = 0;  // How many more are as the last one.
  for (std::int64_t i = 0; i < count; ++i) {
    LogRecord record;
    if (dice.chance(0.1)) offset.value += dice.spread(1, 100);
    record.offset = offset;
    ++offset.value;
    record.cost = draw_cost(dice, settings.routes[route], settings.has(Fault::never));
    record.key = std::min(dice.between(0, settings.routes[route].keys - 1),
                          dice.between(0, settings.routes[route].keys - 1));
    record.ordered = !dice.chance(unordered);
    record.bad =
        alike > 0 ? partition.log.back().bad : bad.chance(settings.of(Fault::record_fails));
    alike = alike > 0 ? alike - 1 : bad.between(0, settings.most_bad_together - 1);
    record.bad_key =
        settings.routes[route].options.dead_letter && bad_key.chance(settings.of(Fault::bad_key));
    record.filtered = filtered.chance(settings.of(Fault::filtered));
    record.size = Bytes{dice.chance(0.1) ? 0 : dice.spread(1, 5'000)};
    if (!backlog && dice.chance(0.5)) at = at + Duration{dice.between(0, gap.us * 4)};
    record.appended = settings.at_full_speed ? start : std::min(at, start + settings.chaos);
    draw_times(times, settings, dead_letter, record);
    draw_route(routes, settings, route, record);
    partition.log.push_back(record);
  }
  return partition;
}

core::RouteId KafkaWorld::route(std::size_t partition) const {
  return partitions_[partition].route;
}

Offset KafkaWorld::start(std::size_t partition) const {
  const Partition& p = partitions_[partition];
  if (p.committed) return *p.committed;
  return p.log.empty() ? Offset{0} : p.log.front().offset;
}

const std::shared_ptr<Assignment>& KafkaWorld::current(std::size_t partition) const {
  return partitions_[partition].current;
}

std::shared_ptr<Assignment> KafkaWorld::assign(std::size_t partition, Instance& owner,
                                               core::PartitionId id) {
  Partition& p = partitions_[partition];
  const auto at = std::lower_bound(p.log.begin(), p.log.end(), start(partition),
                                   [](const LogRecord& r, Offset next) { return r.offset < next; });
  p.current = std::make_shared<Assignment>();
  p.current->partition = partition;
  p.current->owner = &owner;
  p.current->id = id;
  p.current->position = static_cast<std::size_t>(at - p.log.begin());
  if (p.committed) p.current->finished = read_back(*p.committed, p.finished);
  return p.current;
}

bool KafkaWorld::take_away(const Assignment& assignment) {
  std::shared_ptr<Assignment>& current = partitions_[assignment.partition].current;
  if (current.get() != &assignment) return false;
  current.reset();
  return true;
}

// By those who commit them.
bool KafkaWorld::owned(const std::vector<Entry>& entries) const {
  return std::all_of(entries.begin(), entries.end(), [this](const Entry& entry) {
    return current(entry.assignment->partition) == entry.assignment;
  });
}

bool KafkaWorld::transact(const std::vector<LogRecord*>& records,
                          const std::vector<Entry>& entries) {
  if (!owned(entries)) return false;
  for (LogRecord* record : records) {
    if (record->delivered) {
      throw Failure("delivered_twice", "offset " + std::to_string(record->offset.value));
    }
    record->finished = record->delivered = true;
  }
  return commit(entries);
}

bool KafkaWorld::commit(const std::vector<Entry>& entries) {
  if (!owned(entries)) return false;
  for (const Entry& entry : entries) {
    check(entry);
    Partition& partition = partitions_[entry.assignment->partition];
    partition.committed = entry.next;
    partition.finished = entry.finished;
  }
  return true;
}

void KafkaWorld::check(const Entry& entry) const {
  const Partition& partition = partitions_[entry.assignment->partition];
  if (partition.committed && entry.next < *partition.committed) {
    throw Failure("committed_backwards", "to " + std::to_string(entry.next.value));
  }
  const std::vector<core::OffsetRange> ahead = read_back(entry.next, entry.finished);
  auto range = ahead.begin();
  for (const LogRecord& record : partition.log) {
    if (record.deleted) continue;
    while (range != ahead.end() && range->end <= record.offset) ++range;
    const bool named =
        record.offset < entry.next || (range != ahead.end() && range->first <= record.offset);
    if (!named && record.delivered) {
      throw Failure("delivered_taken_back", "offset " + std::to_string(record.offset.value));
    }
    if (!named || record.finished) continue;
    throw Failure("committed_unfinished",
                  "partition " + std::to_string(entry.assignment->partition) + ", committed " +
                      std::to_string(entry.next.value) + " " + entry.finished + ", unfinished " +
                      std::to_string(record.offset.value));
  }
}

bool KafkaWorld::all_done() const {
  return std::all_of(partitions_.begin(), partitions_.end(), [](const Partition& p) {
    const auto last = std::find_if(p.log.rbegin(), p.log.rend(),
                                   [](const LogRecord& record) { return !record.deleted; });
    return last == p.log.rend() || (p.committed && last->offset < *p.committed);
  });
}

std::string KafkaWorld::missing() const {
  std::string text;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const Partition& p = partitions_[i];
    if (p.log.empty()) continue;
    const auto open =
        std::count_if(p.log.begin(), p.log.end(), [](const LogRecord& r) { return !r.finished; });
    text += "partition " + std::to_string(i) + ": " + std::to_string(open) + " of " +
            std::to_string(p.log.size()) + " records unfinished, committed " +
            (p.committed ? std::to_string(p.committed->value) : "nothing") + ", log ends at " +
            std::to_string(p.log.back().offset.value) + "; ";
  }
  return text;
}

std::int64_t KafkaWorld::unfinished() const {
  std::int64_t sum = 0;
  for (const Partition& p : partitions_) {
    for (const LogRecord& record : p.log) {
      sum += !record.deleted && (!p.committed || record.offset >= *p.committed);
    }
  }
  return sum;
}

}  // namespace einlass::simulation
