#include "core/deadlines.h"

#include <algorithm>

#include "units/check.h"

namespace einlass::core {
namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

bool Deadlines::before(const Entry& a, const Entry& b) {
  return a.at != b.at ? a.at < b.at : a.turn < b.turn;
}

std::uint32_t& Deadlines::position(Alarm alarm) {
  auto& of_kind = positions_[static_cast<std::size_t>(alarm.kind)];
  if (alarm.index >= of_kind.size()) {
    of_kind.resize(std::max<std::size_t>(alarm.index + 1, of_kind.size() * 2), kUnset);
  }
  return of_kind[alarm.index];
}

void Deadlines::place(std::size_t at, const Entry& entry) {
  heap_[at] = entry;
  position(entry.alarm) = static_cast<std::uint32_t>(at);
}

void Deadlines::sift_up(std::size_t at, const Entry& entry) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / kChildren;
    if (!before(entry, heap_[parent])) break;
    place(at, heap_[parent]);
    at = parent;
  }
  place(at, entry);
}

void Deadlines::sift_down(std::size_t at, const Entry& entry) {
  for (;;) {
    const std::size_t first = at * kChildren + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kChildren, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (before(heap_[child], heap_[least])) least = child;
    }
    if (!before(heap_[least], entry)) break;
    place(at, heap_[least]);
    at = least;
  }
  place(at, entry);
}

void Deadlines::take_out(std::size_t at) {
  CHECK(at < heap_.size());
  position(heap_[at].alarm) = kUnset;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  if (at > 0 && before(last, heap_[(at - 1) / kChildren])) {
    sift_up(at, last);
  } else {
    sift_down(at, last);
  }
}

void Deadlines::set(Alarm alarm, Instant at) {
  const std::uint32_t old = position(alarm);
  if (old != kUnset) {
    if (heap_[old].at == at) return;
    take_out(old);
  }
  const Entry entry{at, turn_++, alarm};
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

void Deadlines::clear(Alarm alarm) {
  const std::uint32_t old = position(alarm);
  if (old != kUnset) take_out(old);
}

std::optional<Instant> Deadlines::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

std::optional<Instant> Deadlines::when(Alarm alarm) const {
  const auto& of_kind = positions_[static_cast<std::size_t>(alarm.kind)];
  if (alarm.index >= of_kind.size() || of_kind[alarm.index] == kUnset) return std::nullopt;
  return heap_[of_kind[alarm.index]].at;
}

std::optional<Alarm> Deadlines::pop_due(Instant now) {
  if (heap_.empty() || heap_.front().at > now) return std::nullopt;
  const Alarm alarm = heap_.front().alarm;
  take_out(0);
  return alarm;
}

}  // namespace einlass::core
