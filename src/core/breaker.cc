#include "core/breaker.h"

#include <algorithm>

namespace einlass::core {

BreakerState Breaker::state(Instant now) const {
  if (closed_) return BreakerState::closed;
  return now < open_until_ ? BreakerState::open : BreakerState::probing;
}

void Breaker::failed(RecordId record, Instant began, Instant now) {
  if (probe_ == record) {
    last_failed_ = record;
    open(std::min(wait_ * 2, options_.max_wait), now);
    return;
  }
  // What was sent before it opened for the last time says nothing new.
  if (!closed_ || began <= opened_) return;
  if (++failures_ >= options_.failures && options_.failures > 0) open(options_.wait, now);
}

void Breaker::open(Duration wait, Instant now) {
  closed_ = false;
  probe_.reset();
  wait_ = wait;
  opened_ = now;
  open_until_ = now + wait;
}

void Breaker::close() {
  closed_ = true;
  open_until_ = opened_;
  probe_.reset();
  last_failed_.reset();
}

}  // namespace einlass::core
