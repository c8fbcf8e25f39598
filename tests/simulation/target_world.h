// What becomes of an attempt: drawn when it is sent.
#pragma once

#include <optional>
#include <vector>

#include "core/contract/event.h"
#include "draw.h"
#include "units/time.h"

namespace einlass::simulation {

struct AttemptPlan {
  std::optional<Duration> accepted_after;  // When the target itself has it, told or not.
  Duration ends_after;
  core::Outcome outcome = core::Outcome::accepted;
  std::optional<Duration> hold_target;
  bool counts = true;
  bool too_large = false;
  bool asked = true;
  Duration wait{};  // Of the record, at least, before it is tried again.
  bool answered = false;
  bool over_one = false;  // It was for the sake of one of the request's records.
  std::optional<Duration> told_again_after;
};

class Faults;

class TargetWorld {
 public:
  TargetWorld(const Settings& settings, Faults& faults);

  AttemptPlan plan(core::TargetId target, Instant now);

 private:
  bool slow(core::TargetId target, Instant now);
  bool fails(core::TargetId target, Instant now);

  struct Phase {
    Instant until{};
    bool slow = false;
    Instant fails_until{};
  };
  const Settings& settings_;
  Faults& faults_;
  Dice dice_;
  std::vector<Phase> phases_;
};

}  // namespace einlass::simulation
