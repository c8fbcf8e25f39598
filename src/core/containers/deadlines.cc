#include "core/containers/deadlines.h"

namespace einlass::core {

void Deadlines::set(Alarm alarm, Instant at) {
  Heap<Key>& heap = of(alarm);
  const Key* old = heap.find(alarm.index);
  if (old != nullptr && old->at == at) return;
  heap.set(alarm.index, {at, turn_++});
}

const Heap<Deadlines::Key>* Deadlines::earliest() const {
  const Heap<Key>* best = nullptr;
  for (const Heap<Key>& heap : heaps_) {
    if (heap.empty()) continue;
    if (best == nullptr || heap.front_key() < best->front_key()) best = &heap;
  }
  return best;
}

std::optional<Instant> Deadlines::next() const {
  const Heap<Key>* heap = earliest();
  if (heap == nullptr) return std::nullopt;
  return heap->front_key().at;
}

std::optional<Alarm> Deadlines::first() const {
  const Heap<Key>* heap = earliest();
  if (heap == nullptr) return std::nullopt;
  return front_of(*heap);
}

std::optional<Instant> Deadlines::when(Alarm alarm) const {
  const Key* key = heaps_[static_cast<std::size_t>(alarm.kind)].find(alarm.index);
  if (key == nullptr) return std::nullopt;
  return key->at;
}

std::optional<Alarm> Deadlines::pop_due(Instant now) {
  const Heap<Key>* heap = earliest();
  if (heap == nullptr || heap->front_key().at > now) return std::nullopt;
  const Alarm alarm = front_of(*heap);
  clear(alarm);
  return alarm;
}

std::optional<std::uint32_t> Deadlines::pop_due(Alarm::Kind kind, Instant now) {
  const Heap<Key>& heap = heaps_[static_cast<std::size_t>(kind)];
  if (heap.empty() || heap.front_key().at > now) return std::nullopt;
  const std::uint32_t index = heap.front();
  clear({kind, index});
  return index;
}

}  // namespace einlass::core
