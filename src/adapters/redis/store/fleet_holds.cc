// Holds of targets that the fleet shares: when they are looked at, and by which node.
#include <utility>

#include "adapters/redis/store/store_state.h"

namespace einlass::redis {

void Store::State::hold(core::TargetId target, Duration length) {
  holds_.tell(target, length, Steady::now());
  call_holds();
}

void Store::State::watch_holds() {
  holds_timer_.expires_after(jittered(kHoldsPeriod, random_));
  holds_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_) return;
    self->call_holds();
    self->watch_holds();
  });
}

// Nothing while a call is open, or the node is not well: the next one says the same.
void Store::State::call_holds() {
  if (!holds_.any() || holds_.asking() || nodes_.empty()) return;
  Node* node = cluster_ ? cluster_->node_of(holds_.slot()) : nodes_.front().get();
  if (node == nullptr || !node->well() || !node->room()) return;
  const auto now = Steady::now();
  node->send_holds(holds_, now);
  node->flush(now);
}

void Store::State::holds_answered(std::span<const std::int64_t> left_ms,
                                  const std::string& trouble) {
  holds_.answered(left_ms, Steady::now());
  if (!trouble.empty() && !std::exchange(holds_failing_, true)) {
    notify_({Severity::warning, "redis_holds",
             "The fleet cannot share what targets say by Retry-After: " + trouble});
  }
  if (!left_ms.empty()) holds_failing_ = false;
  if (holds_.has_news()) call_holds();
}

}  // namespace einlass::redis
