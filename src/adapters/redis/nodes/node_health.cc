// Connecting and logging in, deadlines, and whether the server counts as well.
#include <algorithm>
#include <utility>

#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/nodes/node.h"

namespace einlass::redis {
namespace {

using std::chrono::milliseconds;
using Micros = std::chrono::microseconds;

constexpr milliseconds kLastReconnectDelay{1'000};
constexpr milliseconds kLastRefusalDelay{2'000};

// A connection on which calls are late and nothing comes for so many timeouts is given up, and
// never sooner than this.
constexpr int kSilentTimeouts = 4;
constexpr milliseconds kLeastSilence{2'000};

}  // namespace

Node::Node(const NodeContext& context, Address address)
    : context_(context),
      timeout_(context.options.timeout.us),
      address_(std::move(address)),
      where_(to_string(address_)),
      deadline_timer_(context.io),
      reconnect_timer_(context.io),
      refusal_timer_(context.io),
      reconnect_delay_(kFirstReconnectDelay),
      refusal_delay_(kFirstRefusalDelay) {}

void Node::connect() { context_.owner.locate(*this); }

void Node::connect_to(const Address& address) {
  if (closed_) return;
  address_ = address;
  where_ = to_string(address);
  reader_ = std::make_unique<ReplyReader>();
  Observer& observer = *this;
  connection_ =
      std::make_shared<Connection>(context_.io, endpoint(context_.options, address), observer);
  connection_->open(silence_limit());
}

void Node::cannot_locate(const std::string& why) {
  if (closed_) return;
  tell(Severity::warning, "redis_unreachable", why);
  fall();
  connect_later();
}

void Node::move_to(const Address& address) {
  tell(Severity::warning, "redis_failover",
       "The Redis primary is no longer " + where_ + " but " + to_string(address));
  disconnect();
  connect_to(address);
}

// The login goes out in one piece; the PING at its end tells that all of it was accepted.
void Node::opened() {
  context_.notify(
      {Severity::debug, "redis_connection_open", "Redis at " + where_ + ": a connection is open"});
  const auto now = Steady::now();
  last_read_ = now;
  const StoreOptions& options = context_.options;
  password_ = append_login(connection_->out(), options.login);
  if (!password_.empty()) push({.kind = Call::Kind::login}, now);
  if (options.database != 0) {
    command({"SELECT", std::to_string(options.database)}, Call::Kind::login, now);
  }
  if (!options.sentinels.empty()) command({"ROLE"}, Call::Kind::role, now);
  ping(now);
  flush(now);
}

void Node::lost(const std::string& why) {
  lose(Severity::warning, open_ ? "redis_lost" : "redis_unreachable",
       "Redis at " + where_ + ": " + why + "; a running gate keeps trying");
}

void Node::lose(Severity severity, std::string_view what, const std::string& detail) {
  tell(severity, what, detail);
  disconnect();
  connect_later();
  context_.owner.topology_changed();
}

void Node::connect_later() {
  reconnect_timer_.expires_after(jittered(reconnect_delay_, context_.random));
  reconnect_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed_) self->connect();
  });
  reconnect_delay_ = std::min(2 * reconnect_delay_, kLastReconnectDelay);
}

// What the open calls have cost is learned when the gate asks again. Unused permits that they were
// to give back are lost, but for places among the attempts under way: the limits grant that much
// less until they would have expired.
void Node::disconnect() {
  connection_->abandon();
  connection_.reset();
  refusal_timer_.cancel();
  open_ = pinging_ = waiting_ = leave_after_wait_ = wait_due_ = wait_open_ = false;
  kept_back_ = 0;
  brought_.clear();
  fall();
  fail_open_calls();
}

void Node::fail_open_calls() {
  fail_unconfirmed();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    if (call.kind == Call::Kind::release) {
      take_permits(call);
      context_.owner.end_later(call.line, permits_again_);
    }
    if (call.kind == Call::Kind::holds) context_.owner.holds_answered({}, "");
    if (i < calls_.late()) continue;  // Has failed already.
    if (call.kind != Call::Kind::acquire && call.kind != Call::Kind::release) continue;
    ++context_.counts.errors;
    if (call.kind == Call::Kind::acquire) context_.fail(call.ask);
  }
  calls_.clear();
  permits_of_calls_.clear();
}

// An error reply: whether the cause is gone a PING may tell, or else only the next call, so after a
// while the node counts as well and lets it try. But where others may have taken its place it is
// left: one that is cut off from them may refuse for ever.
void Node::refused(const Trouble& trouble) {
  tell(Severity::error, "redis_error", trouble.detail);
  fall();
  unproven_ = true;
  const StoreOptions& options = context_.options;
  const bool replaceable = !options.sentinels.empty() || options.cluster;
  leave_after_wait_ |= replaceable || trouble.reaction == Reaction::leave;
  if (waiting_) return;
  waiting_ = true;
  refusal_timer_.expires_after(jittered(refusal_delay_, context_.random));
  refusal_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed_) self->refusal_is_over();
  });
  refusal_delay_ = std::min(2 * refusal_delay_, kLastRefusalDelay);
}

void Node::refusal_is_over() {
  if (!waiting_) return;
  waiting_ = false;
  if (leave_after_wait_) {
    disconnect();
    connect();
    return context_.owner.topology_changed();
  }
  const auto now = Steady::now();
  if (!pinging_) ping(now);
  flush(now);
}

void Node::overloaded(Steady::time_point now) {
  tell(Severity::warning, "redis_overload",
       "Redis at " + where_ +
           " is too far behind: no more calls may be open; give it more CPU or a network that is "
           "faster");
  fall();
  if (!pinging_) ping(now);
}

// A server that refuses what writes may still answer what reads or deletes: after an error reply
// only a grant tells that the cause is gone.
void Node::went_well(bool granted) {
  if (!well_ || (unproven_ && !granted)) return;
  unproven_ = false;
  refusal_delay_ = kFirstRefusalDelay;
  if (trouble_.empty()) return;
  trouble_.clear();
  context_.notify({Severity::info, "redis_up", "Redis at " + where_ + " answers"});
}

void Node::fall() {
  tried_ = true;
  well_ = false;
  context_.owner.health_changed();
}

void Node::rise_if_well() {
  if (!open_ || pinging_ || waiting_ || well_) return;
  tried_ = well_ = true;
  context_.owner.health_changed();
}

// Says the same only once until something goes well, but to whoever looks closely.
void Node::tell(Severity severity, std::string_view what, const std::string& detail) {
  if (std::exchange(trouble_, detail) == detail) severity = Severity::debug;
  context_.notify({severity, std::string(what), detail});
}

// The timer is set anew only where it would fire too late, so a call costs a comparison.
void Node::watch() {
  if (calls_.empty()) return;
  const auto next = next_deadline();
  if (next >= watched_) return;
  watched_ = next;
  deadline_timer_.expires_at(next);
  deadline_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_) return;
    self->watched_ = Steady::time_point::max();
    if (self->connection_) self->deadlines_passed(Steady::now());
  });
}

Steady::time_point Node::next_deadline() {
  auto next = Steady::time_point::max();
  if (calls_.late() < calls_.size()) next = calls_.oldest_in_time().sent + timeout_;
  if (calls_.late() == 0) return next;
  return std::min(next, std::max(last_read_, calls_.front().sent) + silence_limit());
}

void Node::deadlines_passed(Steady::time_point now) {
  while (calls_.late() < calls_.size() && calls_.oldest_in_time().sent + timeout_ <= now) {
    time_over(calls_.mark_late(), now);
    if (!connection_) return;
  }
  if (calls_.late() > 0 && std::max(last_read_, calls_.front().sent) + silence_limit() <= now) {
    return lost("it has said nothing for " +
                std::to_string(duration_cast<milliseconds>(silence_limit()).count()) + " ms");
  }
  flush(now);
}

void Node::time_over(Call& call, Steady::time_point now) {
  const std::string ms = std::to_string(duration_cast<milliseconds>(timeout_).count());
  if (!open_) return lost("no answer within " + ms + " ms of connecting");
  if (call.kind == Call::Kind::ping || call.kind == Call::Kind::holds) return;
  ++context_.counts.timeouts;
  tell(Severity::warning, "redis_timeout",
       "Redis at " + where_ + " did not answer within " + ms + " ms (redis.timeout)");
  fall();
  if (call.kind == Call::Kind::acquire) context_.fail(call.ask);
  if (call.kind == Call::Kind::wait) fail_unconfirmed();
  if (!pinging_) ping(now);
}

Micros Node::silence_limit() const {
  return std::max<Micros>(kSilentTimeouts * timeout_, kLeastSilence);
}

void Node::close() {
  closed_ = true;
  well_ = false;
  if (connection_) connection_->close();
  connection_.reset();
  deadline_timer_.cancel();
  reconnect_timer_.cancel();
  refusal_timer_.cancel();
}

}  // namespace einlass::redis
