// What a shard delivers to: one of the kinds of targets, as the loop and the admin pages see it.
#pragma once

#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/contract/command.h"
#include "core/contract/ids.h"
#include "units/target_status.h"

namespace einlass::app {

// REQUIRES: used on the shard's thread; outlived by what it was made with.
class Target {
 public:
  virtual ~Target() = default;

  // From here on records may come; what is to be done before them begins. Called once.
  virtual void start(core::TargetId id) = 0;

  // Starts an attempt, and copies what it needs of the record. Ends as core::DeliveryEnded, exactly
  // one. `limited` says whether there is a permit: of a limiter, or of what stands in for it.
  // REQUIRES: fewer than the target's max_in_flight are open.
  virtual void send(const StoredRecord& record, const core::Send& send, bool limited) = 0;

  // Goes on under other settings, where no other target was made for them.
  virtual void reconfigure(const config::Target&) {}

  // Replaces another of its kind, to which no more is sent. What is under way there ends
  // as it would. REQUIRES: before start().
  virtual void take_over(Target&) {}

  virtual TargetStatus status() const = 0;
};

}  // namespace einlass::app
