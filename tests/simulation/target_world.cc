#include "target_world.h"

#include "faults.h"

namespace einlass::simulation {

TargetWorld::TargetWorld(const Settings& settings, Faults& faults)
    : settings_(settings),
      faults_(faults),
      dice_(settings.seed, "target"),
      phases_(settings.gate.targets.size()) {}

bool TargetWorld::slow(core::TargetId target, Instant now) {
  Phase& phase = phases_[target.value];
  if (phase.until <= now) {
    phase.slow = !phase.slow && faults_.happens(Fault::target_slow);
    phase.until = now + dice_.duration(Duration::millis(10), Duration::seconds(1));
  }
  return phase.slow && !faults_.stopped();
}

// It fails for a while, whatever it is sent.
bool TargetWorld::fails(core::TargetId target, Instant now) {
  Phase& phase = phases_[target.value];
  if (now < phase.fails_until) return !faults_.stopped();
  if (!faults_.happens(Fault::target_fails)) return false;
  phase.fails_until =
      now + faults_.dice(Fault::target_fails).duration(Duration::millis(1), Duration::seconds(3));
  return true;
}

AttemptPlan TargetWorld::plan(core::TargetId target, Instant now) {
  AttemptPlan plan;
  plan.ends_after = dice_.duration(Duration::micros(20), settings_.latency);
  if (slow(target, now)) plan.ends_after = plan.ends_after * 10;
  if (faults_.happens(Fault::target_retry) || fails(target, now))
    plan.outcome = core::Outcome::retry;
  if (faults_.happens(Fault::target_refused)) plan.outcome = core::Outcome::refused;
  if (plan.outcome == core::Outcome::accepted) plan.accepted_after = plan.ends_after / 2;
  if (plan.outcome == core::Outcome::retry && faults_.happens(Fault::target_unusable)) {
    plan.counts = false;
  }
  plan.too_large = plan.outcome == core::Outcome::refused && faults_.happens(Fault::too_large);
  plan.asked = plan.outcome == core::Outcome::accepted || !faults_.happens(Fault::not_asked);
  if (plan.outcome == core::Outcome::retry && faults_.happens(Fault::record_waits)) {
    plan.wait =
        faults_.dice(Fault::record_waits).duration(Duration::millis(1), Duration::seconds(1));
  }
  plan.answered =
      plan.asked && plan.outcome == core::Outcome::retry && faults_.happens(Fault::target_answers);
  if (faults_.happens(Fault::retry_after) && plan.asked) {
    plan.hold_target =
        faults_.dice(Fault::retry_after).duration(Duration::millis(1), Duration::seconds(2));
  }
  if (faults_.happens(Fault::target_hangs)) {
    plan.ends_after = settings_.target_timeout;
    plan.outcome = core::Outcome::retry;
    plan.counts = plan.asked = true;
    plan.answered = plan.too_large = false;
    plan.wait = Duration{};
    plan.hold_target.reset();
  }
  if (faults_.happens(Fault::delivery_duplicate)) {
    Dice& dice = faults_.dice(Fault::delivery_duplicate);
    plan.told_again_after =
        plan.ends_after + dice.duration(Duration::micros(1), Duration::seconds(1));
  }
  return plan;
}

}  // namespace einlass::simulation
