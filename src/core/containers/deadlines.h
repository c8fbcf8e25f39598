// Who wants to be woken when: one heap of alarms for each kind.
//
// Each record and each target has at most two alarms, each line, limit and partition one, and the
// gate one for commits. Setting an alarm again moves it. Two alarms for the same instant go off in
// the order in which they were set, so that the same events always give the same commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/containers/heap.h"
#include "units/time.h"

namespace einlass::core {

struct Alarm {
  // target_queue: what waits at a target is looked at again, for a batch that gathers or a probe.
  enum class Kind : std::uint8_t {
    record,
    expiry,
    line,
    limit,
    target,
    target_queue,
    partition,
    commit
  };

  Kind kind;
  std::uint32_t index;  // The record's slot, a limit's index, or the value of the others' ids.
};

class Deadlines {
 public:
  void set(Alarm alarm, Instant at);
  void clear(Alarm alarm) { of(alarm).erase(alarm.index); }

  // The earliest alarm's instant, and which it is; empty when none is set.
  std::optional<Instant> next() const;
  std::optional<Alarm> first() const;

  // When that alarm goes off; empty if it is not set.
  std::optional<Instant> when(Alarm alarm) const;

  // Takes out the earliest alarm if it is due.
  std::optional<Alarm> pop_due(Instant now);

  // The same of one kind only: the alarm's index.
  std::optional<std::uint32_t> pop_due(Alarm::Kind kind, Instant now);

 private:
  struct Key {
    Instant at;
    std::uint64_t turn;  // Orders alarms of the same instant.

    bool operator<(const Key& other) const {
      return at != other.at ? at < other.at : turn < other.turn;
    }
  };
  static constexpr std::size_t kKinds = 8;

  Heap<Key>& of(Alarm alarm) { return heaps_[static_cast<std::size_t>(alarm.kind)]; }
  // The heap with the earliest; null when there is none.
  const Heap<Key>* earliest() const;
  Alarm front_of(const Heap<Key>& heap) const {
    return {static_cast<Alarm::Kind>(&heap - heaps_.data()), heap.front()};
  }

  std::array<Heap<Key>, kKinds> heaps_;  // By kind.
  std::uint64_t turn_ = 0;
};

}  // namespace einlass::core
