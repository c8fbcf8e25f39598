// Who wants to be woken when: one heap for the whole gate.
//
// Each record, line, target and partition has at most one alarm, and the gate one for commits.
// Setting an alarm again moves it. Two alarms for the same instant go off in the order in which
// they were set, so that the same events always give the same commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "units/time.h"

namespace einlass::core {

struct Alarm {
  enum class Kind : std::uint8_t { record, line, target, batch, partition, commit };

  Kind kind;
  std::uint32_t index;  // The record's slot, or the value of the line's, target's, partition's id.
};

class Deadlines {
 public:
  void set(Alarm alarm, Instant at);
  void clear(Alarm alarm);

  // The earliest alarm's instant; empty when none is set.
  std::optional<Instant> next() const;

  // When that alarm goes off; empty if it is not set.
  std::optional<Instant> when(Alarm alarm) const;

  // Takes out the earliest alarm if it is due.
  std::optional<Alarm> pop_due(Instant now);

 private:
  struct Entry {
    Instant at;
    std::uint64_t turn;  // Orders alarms of the same instant.
    Alarm alarm;
  };
  static constexpr std::size_t kKinds = 6;
  static constexpr std::uint32_t kUnset = ~std::uint32_t{0};

  static bool before(const Entry& a, const Entry& b);
  std::uint32_t& position(Alarm alarm);
  void place(std::size_t at, const Entry& entry);
  void sift_up(std::size_t at, const Entry& entry);
  void sift_down(std::size_t at, const Entry& entry);
  void take_out(std::size_t at);

  std::vector<Entry> heap_;  // The earliest first; four children to a node.
  std::array<std::vector<std::uint32_t>, kKinds> positions_;  // Where in the heap, or kUnset.
  std::uint64_t turn_ = 0;
};

}  // namespace einlass::core
