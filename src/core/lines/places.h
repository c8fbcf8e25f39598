// A target's places, and how they are parted among its lines.
//
// A line has its part of the places whatever others do: so many that each can have as many. Of what
// is left over when all have it a line takes one, and no place that is of another's part. What it
// takes beyond that leaves an eighth free, so that whoever comes finds some, even if the attempts
// of those who were there hang for long. Who takes a place, and when, is said in placing.cc.
//
// What holds it together (checked in tests after each event, admission_invariants.cc): the lines
// that are counted are those that have records and are not paused, with the places that they hold.
#pragma once

#include <cstdint>
#include <vector>

#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/delivery/delivery.h"
#include "core/lines/line.h"
#include "core/lines/places_held.h"
#include "units/time.h"

namespace einlass::core {

// Belongs to Admission. It counts lines, and changes none.
class Places {
 public:
  // Both live longer. A reload changes the options: what is said is said by those of now.
  Places(const GateOptions& options, const Delivery& delivery);

  // The line shares its target's places from now on, or no longer, with those that it holds.
  // REQUIRES: it did not until now; it did.
  void come(const Line& line);
  void go(const Line& line);

  // It holds one more than `in_flight` says, or one less. REQUIRES: it shares them.
  void take(const Line& line) { of(line).held.take(line.in_flight); }
  void give_back(const Line& line) { of(line).held.give_back(line.in_flight); }

  // How many lines share them.
  std::uint32_t lines(TargetId id) const { return targets_[id.value].lines; }

  // A line's part of all places: with more lines than places that is one, and not all have it. Of
  // so few places that none stays free it is rounded up.
  std::int64_t part_of(TargetId id) const;

  // How many more of its attempts may start before the line has its part. Who is alone has all
  // places.
  std::int64_t part_left(const Line& line) const;

  // How many more of the line's attempts may start now.
  std::int64_t left(const Line& line, Instant now) const;

  // For tests: what is counted of a target.
  struct Count {
    std::uint32_t lines = 0;
    std::int64_t held = 0;
    std::int64_t beyond = 0;  // Of these: beyond the parts of those who hold them.

    bool operator==(const Count&) const = default;
  };
  Count count(TargetId id) const;

 private:
  struct Usage {
    std::uint32_t lines = 0;
    PlacesHeld held;    // By the same.
    bool many = false;  // Others may come at any time.
  };

  TargetId target_of(const Line& line) const { return options_.routes[line.route.value].target; }
  Usage& of(const Line& line) { return targets_[target_of(line).value]; }
  std::int64_t parts_of(TargetId id) const;

  const GateOptions& options_;
  const Delivery& delivery_;
  std::vector<Usage> targets_;  // By TargetId.
};

}  // namespace einlass::core
