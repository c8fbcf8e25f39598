#include "adapters/kafka/partitions/assignment.h"

#include <utility>

#include "units/check.h"

namespace einlass::kafka {

Assignment::~Assignment() {
  for_each([](Partition& partition) {
    if (partition.queue != nullptr) Wakeups::unwatch(partition.queue.get());
  });
}

Partition& Assignment::add(const std::string& topic, PartitionNumber number, core::RouteId route) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  Partition& partition = slots_[free_.back()];
  partition.id = core::PartitionId{free_.back()};
  free_.pop_back();
  partition.route = route;
  partition.topic = topic;
  partition.number = number;
  partition.phase = Phase::waiting;
  partition.forbidden = forbidden_.contains({topic, number.value});
  ids_[{topic, number.value}] = partition.id.value;
  return partition;
}

void Assignment::set_forbidden(Partition& partition, bool forbidden) {
  if (std::exchange(partition.forbidden, forbidden) == forbidden) return;
  const std::pair name{partition.topic, partition.number.value};
  if (forbidden) {
    forbidden_.insert(name);
  } else {
    forbidden_.erase(name);
  }
}

void Assignment::attach(Partition& partition, QueueHandle queue) {
  partition.queue = std::move(queue);
  wakeups_.watch(partition.queue.get(), partition.id.value);
}

void Assignment::remove(Partition& partition) {
  if (partition.queue != nullptr) Wakeups::unwatch(partition.queue.get());
  if (const auto found = ids_.find({partition.topic, partition.number.value});
      found != ids_.end() && found->second == partition.id.value) {
    ids_.erase(found);
  }
  retired_.push_back(partition.id.value);
  const bool queued = partition.queued;
  partition = Partition{};
  partition.queued = queued;
}

void Assignment::recycle() {
  free_.insert(free_.end(), retired_.begin(), retired_.end());
  retired_.clear();
}

Partition& Assignment::at(core::PartitionId id) {
  Partition* partition = in_use(id);
  CHECK(partition != nullptr);
  return *partition;
}

Partition* Assignment::in_use(core::PartitionId id) {
  const bool used = id.value < slots_.size() && slots_[id.value].phase != Phase::unused;
  return used ? &slots_[id.value] : nullptr;
}

Partition* Assignment::find(const std::string& topic, PartitionNumber number) {
  const auto found = ids_.find({topic, number.value});
  return found == ids_.end() ? nullptr : &slots_[found->second];
}

void Assignment::woken(std::uint32_t id) {
  if (id < slots_.size() && slots_[id].phase != Phase::unused) more(slots_[id]);
}

void Assignment::more(Partition& partition) {
  partition.more = true;
  if (partition.queued || !partition.readable()) return;
  partition.queued = true;
  line_.push_back(partition.id.value);
}

void Assignment::empty(Partition& partition) { partition.more = false; }

Partition* Assignment::ready() {
  while (!line_.empty()) {
    Partition& first = slots_[line_.front()];
    if (first.more && first.readable()) return &first;
    first.queued = false;
    line_.pop_front();
  }
  return nullptr;
}

void Assignment::to_the_end(Partition& partition) {
  CHECK(!line_.empty() && line_.front() == partition.id.value);
  line_.pop_front();
  line_.push_back(partition.id.value);
}

}  // namespace einlass::kafka
