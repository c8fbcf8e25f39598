#include "net/token_renewal.h"

#include <algorithm>

namespace einlass::net {

void TokenRenewal::came(std::optional<Duration> life) {
  wait_ = kFirstWait;
  expires_ = next_ = SteadyTime::max();
  if (!life) return;
  const std::chrono::microseconds good(life->us);
  expires_ = asked_at_ + good;
  const auto before = std::min<std::chrono::microseconds>(good / 4, kRenewBefore);
  next_ =
      expires_ - before - std::chrono::duration_cast<std::chrono::microseconds>(before * earlier_);
}

void TokenRenewal::failed(SteadyTime now) {
  next_ = now + wait_;
  wait_ = std::min(wait_ * 2, kLongestWait);
}

}  // namespace einlass::net
