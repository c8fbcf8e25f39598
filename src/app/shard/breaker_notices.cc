#include "app/shard/breaker_notices.h"

#include <cstdint>
#include <string>

#include "config/text/values.h"

namespace einlass::app {

BreakerNotices::BreakerNotices(const core::Gate& gate, const Notify& notify)
    : gate_(gate), notify_(notify) {}

void BreakerNotices::look(const config::Config& config) {
  closed_.resize(config.targets.size(), true);
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    const bool closed = gate_.breaker(core::TargetId{static_cast<std::uint16_t>(i)}).closed();
    if (closed == closed_[i]) continue;
    closed_[i] = closed;
    const config::Target& target = config.targets[i];
    if (closed && target.breaker.failures == 0) {  // A reload closed it.
      notify_({Severity::info, "target_breaker_closed",
               "Target " + target.name + " has no circuit breaker any more: everything goes on"});
    } else if (closed) {
      notify_({Severity::info, "target_breaker_closed",
               "Target " + target.name + " answers again: everything goes on"});
    } else {
      notify_({Severity::warning, "target_breaker_open",
               "Target " + target.name + " has failed " + std::to_string(target.breaker.failures) +
                   " times in a row: until it answers it is probed by one attempt at a time, at "
                   "least " +
                   config::to_text(target.breaker.wait) + " after one that failed"});
    }
  }
}

}  // namespace einlass::app
