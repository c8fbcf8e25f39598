// Delivery: the targets' room, attempts, and when a failed record is tried again.
#pragma once

#include <cstdint>
#include <vector>

#include "core/command.h"
#include "core/deadlines.h"
#include "core/ids.h"
#include "core/options.h"
#include "core/random.h"
#include "core/record.h"
#include "units/time.h"

namespace einlass::core {

class Delivery {
 public:
  Delivery(const GateOptions& options, Records& records, Deadlines& deadlines);

  // How many more attempts may start now: none while a Retry-After holds the target back.
  std::uint32_t room(TargetId target, Instant now) const;

  // Until when the target is held back; in the past if it is not.
  Instant held_until(TargetId target) const { return targets_[target.value].hold_until; }

  // Starts the next attempt of a ready record. REQUIRES: there is room.
  void send(Record& record, const Permit& permit, Instant now, Commands& commands);

  // The attempt's place at the target is free again.
  void ended(TargetId target);

  // Sends nothing more to the target for so long; a hold that lasts longer stays. Its end comes as
  // the target's alarm.
  void hold(TargetId target, Duration length, Instant now);

  // Waits before the record's next attempt: exponential backoff with full jitter.
  // REQUIRES: the record is attempting or dead_lettering.
  void back_off(Record& record, Instant now);

 private:
  struct Target {
    std::uint32_t max_in_flight;
    std::uint32_t in_flight = 0;
    Instant hold_until;
  };

  const GateOptions& options_;
  Records& records_;
  Deadlines& deadlines_;
  std::vector<Target> targets_;
  Random random_;
};

}  // namespace einlass::core
