#include "core/delivery/breaker.h"

#include <algorithm>

namespace einlass::core {

BreakerState Breaker::state(Instant now) const {
  if (closed_) return BreakerState::closed;
  return now < open_until_ ? BreakerState::open : BreakerState::probing;
}

void Breaker::ended(const Ended& attempt, Instant now) {
  if (attempt.outcome == Outcome::retry) {
    probe_ == attempt.record ? probe_failed(attempt, now) : failed(attempt, now);
    return;
  }
  answered_ = now;
  failures_ = 0;
  if (!closed_) close();
}

void Breaker::failed(const Ended& attempt, Instant now) {
  // What was sent before it opened for the last time says nothing new.
  if (!closed_ || attempt.began <= opened_ || attempt.failed_before <= answered_) return;
  if (failures_++ == 0) first_failure_ = now;
  if (options_.failures == 0 || failures_ < options_.failures) return;
  const Instant sure =
      attempt.answered ? first_failure_ + kAnswersAlone : answered_ + options_.silence;
  if (now < sure) return;
  wait_ = options_.wait;
  open(Duration{}, now);
}

void Breaker::probe_failed(const Ended& attempt, Instant now) {
  last_failed_ = attempt.record;
  ++failed_probes_;
  lengthen(attempt.record);
  // One that was answered shortens its own wait, and not those of probes that are not.
  open(attempt.answered ? std::min(wait_, std::max(kMostAfterAnswer, options_.wait)) : wait_, now);
}

void Breaker::lengthen(RecordId failed) {
  if (different_ == kProbesEachWait) {
    wait_ = wait_ * 2;
    different_ = 0;
  }
  wait_ = std::min(wait_, options_.max_wait);
  const auto end = failed_here_.begin() + different_;
  if (std::find(failed_here_.begin(), end, failed) == end) failed_here_[different_++] = failed;
}

void Breaker::open(Duration wait, Instant now) {
  closed_ = false;
  probe_.reset();
  opened_ = now;
  open_until_ = now + wait;
}

void Breaker::close() {
  closed_ = true;
  open_until_ = opened_;
  probe_.reset();
  failed_probes_ = different_ = 0;
  last_failed_.reset();
}

}  // namespace einlass::core
