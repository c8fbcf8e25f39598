// When an access token is asked for: before the last one expires, and after a failure again and
// again, each time later.
#pragma once

#include <chrono>
#include <optional>

#include "units/time.h"

namespace einlass::net {

class TokenRenewal {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // `earlier`, from 0 to 1: up to twice as long before the end as it has to be. Drawn by each of
  // many that got their tokens at once, so that they do not ask for the next at once.
  explicit TokenRenewal(double earlier = 0) : earlier_{earlier} {}

  // At first it is time to.
  bool is_due(SteadyTime now) const { return now >= next_; }

  // Does not wait: something has changed that may help.
  void hurry(SteadyTime now) { next_ = now; }

  // What came of it is told by one of the next two.
  void asked(SteadyTime now) { asked_at_ = now; }
  SteadyTime asked_at() const { return asked_at_; }

  // A token that is good for `life` since it was asked for; none: until it is refused.
  void came(std::optional<Duration> life);
  void failed(SteadyTime now);

  // The last token is no longer good.
  bool has_expired(SteadyTime now) const { return now >= expires_; }

 private:
  static constexpr std::chrono::seconds kFirstWait{1}, kLongestWait{30};

  // With a quarter of its life left, and at most so long before its end.
  static constexpr std::chrono::seconds kRenewBefore{60};

  double earlier_;
  SteadyTime asked_at_{}, next_{}, expires_{};
  std::chrono::seconds wait_ = kFirstWait;  // After the next failure.
};

}  // namespace einlass::net
