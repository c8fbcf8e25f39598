// Holds of targets that the fleet shares: when they are looked at, and by which node. A gate that
// hears of news looks at once; one that cannot listen looks all the time.
#include <algorithm>
#include <utility>

#include "adapters/redis/store/store_state.h"

namespace einlass::redis {

void Store::State::hold(core::TargetId target, Duration length) {
  holds_.tell(target, length, Steady::now());
  call_holds();
  if (holds_.has_news()) look_soon();  // A call is open, or nobody can be asked.
}

// Null where nobody is known who has them.
Node* Store::State::node_of_holds() const {
  if (!holds_.any() || nodes_.empty()) return nullptr;
  return cluster_ ? cluster_->node_of(holds_.slot()) : nodes_.front().get();
}

void Store::State::watch_holds() {
  const bool quiet = listener_.listening() && !look_is_due_;
  look_at_holds_in(jittered(quiet ? kHoldsPeriodOfListeners : kHoldsPeriod, random_));
}

void Store::State::look_at_holds_in(Steady::duration wait) {
  holds_timer_.expires_after(wait);
  holds_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_) return;
    self->listen_for_holds();
    self->call_holds();
    self->watch_holds();
  });
}

// A server that went and came back under its address may be another one. One that is slow, or
// refuses for a while, is the same: to connect again would only keep it busy.
void Store::State::listen_for_holds() {
  if (closed_) return;
  const Node* node = node_of_holds();
  if (node == nullptr || !node->connected()) return listener_.hang_up();
  listener_.listen_to(node->address(), Steady::now());
}

void Store::State::holds_heard(const std::string& in_vain) {
  if (listener_.listening()) not_listening_told_ = false;
  if (!in_vain.empty() && !std::exchange(not_listening_told_, true)) {
    const bool rights = in_vain.starts_with("NOPERM");
    notify_({Severity::warning, "redis_subscribe",
             "Redis does not say at once what targets say by Retry-After, so it is asked 20 to 40 "
             "times a second; why the gate cannot listen: " +
                 in_vain +
                 (rights ? "; its user needs SUBSCRIBE, PUBLISH and the channels of the namespace"
                         : "")});
  }
  look_soon();
}

// However much is said, they are looked at no more often than where nothing is heard.
void Store::State::look_soon() {
  if (std::exchange(look_is_due_, true)) return;
  const auto next = looked_ + kHoldsPeriod - Steady::now();
  look_at_holds_in(std::max(next, Steady::duration::zero()));
}

// Nothing while a call is open, or the node is not well: the next one says the same.
void Store::State::call_holds() {
  Node* node = node_of_holds();
  if (node == nullptr || !node->well() || holds_.asking() || !node->room()) return;
  looked_ = Steady::now();
  look_is_due_ = false;
  node->send_holds(holds_, looked_);
  node->flush(looked_);
}

void Store::State::holds_answered(std::span<const std::int64_t> left_ms,
                                  const std::string& trouble) {
  holds_.answered(left_ms, Steady::now());
  if (!trouble.empty() && !std::exchange(holds_failing_, true)) {
    notify_({Severity::warning, "redis_holds",
             "The fleet cannot share what targets say by Retry-After: " + trouble});
  }
  if (left_ms.size() > options_.targets.size() && !std::exchange(not_publishing_told_, true)) {
    notify_({Severity::warning, "redis_publish",
             "Redis does not let this gate tell the others at once what targets say by "
             "Retry-After: its user needs PUBLISH and the channels of the namespace"});
  }
  if (!left_ms.empty()) holds_failing_ = false;
  if (left_ms.empty()) look_soon();  // It says the same again.
  if (holds_.has_news()) call_holds();
}

}  // namespace einlass::redis
