// Delivery: the targets' room, attempts, and when a failed record is tried again.
//
// What holds it together (checked in tests after each event, gate/invariants.cc):
// D1  What is in flight to a target is as many as there are attempts that took a place there.
// D2  Where a hold or the breaker keeps a target from being sent anything, its alarm is set for the
//     end of that.
#pragma once

#include <cstdint>
#include <vector>

#include "core/containers/deadlines.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/delivery/breaker.h"
#include "core/delivery/random.h"
#include "core/records/record.h"
#include "units/time.h"

namespace einlass::core {

class Delivery {
 public:
  Delivery(const GateOptions& options, Records& records, Deadlines& deadlines);

  // How many more attempts may start now: none while a Retry-After holds the target back, its
  // breaker is open or it is not ready for more, and one where a probe is due.
  std::uint32_t room(TargetId target, Instant now) const;

  // Until when nothing is sent, by a Retry-After or the breaker; in the past if nothing forbids it.
  Instant held_until(TargetId target) const;

  const Breaker& breaker(TargetId target) const { return targets_[target.value].breaker; }

  // The options may be others now, and so the time for which the breaker keeps a target to itself.
  void look_again(Instant now);

  // Starts the next attempt of a record. One that leads takes a place; the others go with the one
  // before, in its request. `due` is when the permit came due. REQUIRES: there is room for one that
  // leads.
  void send(Record& record, const Permit& permit, Instant due, bool leads, Instant now,
            Commands& commands);

  // The record's attempt has ended: the place that it has at the target is free again.
  void ended(Record& record, const DeliveryEnded& event, Instant now);

  // No attempt is under way.
  bool idle(TargetId target) const { return targets_[target.value].in_flight == 0; }

  // A commit is under way that no transaction of the target may overtake, or no more.
  void set_committing(TargetId target, bool is) { targets_[target.value].committing = is; }

  // The target takes as much at once again.
  void ready(TargetId target) { targets_[target.value].since_ready = {}; }

  // Sends nothing more to the target for so long; a hold that lasts longer stays. Its end comes as
  // the target's alarm.
  void hold(TargetId target, Duration length, Instant now);

  // Waits before the record's next attempt: so long at least, and exponential backoff with full
  // jitter. REQUIRES: the record is attempting or dead_lettering.
  void back_off(Record& record, Instant now, Duration least = {});

  // The same without a wait, for a record that goes again in a smaller request.
  void go_again(Record& record, Instant now);

  // CHECKs D1 and D2. Slow: for tests, after an event.
  void check_invariants(Instant now) const;

 private:
  struct Availability {
    std::uint32_t in_flight = 0;  // Requests; records where it is transactional.
    bool committing = false;
    Bytes since_ready;  // Sent since then.
    Instant hold_until;
    Breaker breaker;
  };

  void arm(TargetId target, Instant now);
  bool is_ready(TargetId target) const;

  const GateOptions& options_;
  Records& records_;
  Deadlines& deadlines_;
  std::vector<Availability> targets_;
  Random random_;
};

}  // namespace einlass::core
