#include "target_checks.h"

#include <algorithm>
#include <string>

#include "trace.h"

namespace einlass::simulation {

TargetChecks::TargetChecks(const Settings& settings)
    : settings_(settings), targets_(settings.gate.targets.size()) {}

void TargetChecks::held(core::TargetId target, Instant until) {
  Instant& held = targets_[target.value].held_until;
  held = std::max(held, until);
}

void TargetChecks::send(core::TargetId target, core::RecordId record, Instant now) {
  Target& at = targets_[target.value];
  require(now >= at.held_until, "retry_after",
          std::to_string((at.held_until - now).us) + " us too early");
  require(is_ready(target), "target_ready", std::to_string(at.since_ready) + " bytes");
  if (at.closed) return;
  require(now >= at.open_until, "breaker_open",
          std::to_string((at.open_until - now).us) + " us too early");
  require(!at.probe, "one_probe", std::to_string(record.slot));
  at.probe = record;
}

void TargetChecks::open(Target& target, Duration wait, Instant now) {
  target.closed = false;
  target.probe.reset();
  target.opened = now;
  target.open_until = now + wait;
}

// Whether the failure says something of the target.
bool TargetChecks::counts(const Target& at, const AttemptSeen& attempt) {
  const bool others_since =
      attempt.failed_before && at.answered && *attempt.failed_before <= *at.answered;
  return at.closed && attempt.began > at.opened && !others_since;
}

// The waits: none, then `wait` until three records have failed, twice that until three more have,
// and so on.
Duration TargetChecks::next_wait(Target& at, const core::BreakerOptions& options,
                                 core::RecordId failed, bool answered) {
  if (at.failed_probes.size() == 3) {
    at.wait = at.wait * 2;
    at.failed_probes.clear();
  }
  if (std::ranges::find(at.failed_probes, failed) == at.failed_probes.end()) {
    at.failed_probes.push_back(failed);
  }
  at.wait = std::min(at.wait, options.max_wait);
  const Duration second = Duration::seconds(1);
  return answered ? std::min(at.wait, std::max(second, options.wait)) : at.wait;
}

void TargetChecks::close(Target& at) {
  at.closed = true;
  at.failed_probes.clear();
  at.probe.reset();
}

void TargetChecks::ended(core::TargetId target, const AttemptSeen& attempt, Instant now) {
  Target& at = targets_[target.value];
  const core::BreakerOptions& options = settings_.gate.targets[target.value].breaker;
  if (!attempt.asked) {
    if (at.probe == attempt.record) at.probe.reset();
  } else if (attempt.outcome != core::Outcome::retry) {
    at.answered = now;
    at.failures = 0;
    close(at);
  } else if (at.probe == attempt.record) {
    open(at, next_wait(at, options, attempt.record, attempt.answered), now);
  } else if (counts(at, attempt)) {
    if (++at.failures == 1) at.first_failure = now;
    const bool long_enough = attempt.answered
                                 ? now - at.first_failure >= Duration::seconds(1)
                                 : !at.answered || now - *at.answered >= options.silence;
    const bool enough = options.failures > 0 && at.failures >= options.failures;
    if (!enough || !long_enough) return;
    at.wait = options.wait;
    open(at, Duration{}, now);
  }
}

// Where no number of failures opens it, it is closed; a wait is no longer than the longest is now.
void TargetChecks::reloaded() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& at = targets_[i];
    at.since_ready = 0;
    const core::BreakerOptions& options = settings_.gate.targets[i].breaker;
    if (options.failures == 0) close(at);
    at.open_until = std::min(at.open_until, at.opened + options.max_wait);
  }
}

bool TargetChecks::pay(std::int64_t& credit, std::int64_t share, bool retry, std::int64_t saved) {
  const std::int64_t cost = 100 - share;
  if (!retry) {
    credit = std::min(credit + share, saved * cost + share);
    return true;
  }
  const bool enough = credit >= cost;
  credit = std::max<std::int64_t>(0, credit - cost);
  return enough;
}

bool TargetChecks::pays(core::TargetId target, bool retry, std::int64_t saved) {
  const std::int64_t share = settings_.gate.targets[target.value].retry_share;
  return share == 100 || pay(targets_[target.value].credit, share, retry, saved);
}

bool TargetChecks::pays_in_line(core::TargetId target, core::LineId line, bool retry) {
  const std::int64_t share = settings_.gate.targets[target.value].retry_share;
  if (line_credits_.size() <= line.value) line_credits_.resize(line.value + 1);
  return share == 100 || pay(line_credits_[line.value], share, retry, 1);
}

void TargetChecks::line_forgotten(core::LineId line) {
  if (line.value < line_credits_.size()) line_credits_[line.value] = 0;
}

bool TargetChecks::is_ready(core::TargetId target) const {
  const std::int64_t most = settings_.gate.targets[target.value].at_once.value;
  return most == 0 || targets_[target.value].since_ready < most;
}

bool TargetChecks::lets_all_through(core::TargetId target, Instant now) const {
  const Target& at = targets_[target.value];
  return now >= at.held_until && at.closed;
}

void TargetChecks::check(const core::Gate& gate, Instant now) const {
  for (std::uint16_t i = 0; i < targets_.size(); ++i) {
    const Target& at = targets_[i];
    const core::Breaker& breaker = gate.breaker(core::TargetId{i});
    require(breaker.closed() == at.closed, "breaker_state", std::to_string(i));
    require(at.closed || breaker.open_until() == at.open_until, "breaker_until",
            std::to_string((breaker.open_until() - now).us));
  }
}

}  // namespace einlass::simulation
