// Which node a line is asked of, what the nodes tell, and whether the store counts as up.
#include <algorithm>
#include <utility>

#include "adapters/redis/store/store_state.h"
#include "text/span_words.h"

namespace einlass::redis {
namespace {

// Before what could not be given back is tried again.
constexpr std::chrono::milliseconds kLateReleaseDelay{20};  // Twice as long each time, up to ...
constexpr std::chrono::milliseconds kLongestLateReleaseDelay{1'000};
constexpr std::chrono::milliseconds kLateReleaseDelayWhileDown{200};

}  // namespace

Node* Store::State::node_of(const Line& line) const {
  return cluster_ ? cluster_->node_of(line.slot) : nodes_.front().get();
}

// After a loss another Sentinel is asked: the last one may not have heard yet who the primary is.
void Store::State::locate(Node& node) {
  if (!sentinels_) return node.connect_to(node.address());
  sentinels_->cancel();
  if (node.tried()) sentinels_->pass_over();
  sentinels_->find([weak = node.weak_from_this()](const auto& primary, const std::string& why) {
    const NodePtr found = weak.lock();
    if (!found) return;
    if (primary) return found->connect_to(*primary);
    found->cannot_locate(why);
  });
}

// A primary that was replaced while it lives goes on as one for about ten seconds, until a Sentinel
// has told it: what it grants then the new one does not know of.
void Store::State::watch_primary() {
  primary_timer_.expires_after(jittered(kPrimaryPeriod, random_));
  primary_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_) return;
    self->watch_primary();
    const NodePtr& node = self->nodes_.front();
    if (!node->well() || self->sentinels_->asking()) return;
    self->sentinels_->find([weak = node->weak_from_this()](const auto& primary, const auto&) {
      const NodePtr found = weak.lock();
      if (!found || !found->well() || !primary || *primary == found->address()) return;
      found->move_to(*primary);
    });
  });
}

// The store does not become up, or down for the first time, while it is unknown of some node
// whether it is well: so a cluster does not begin with the lines of one node.
void Store::State::health_changed() {
  listen_for_holds();
  const auto well = [](const NodePtr& node) { return node->well(); };
  const auto tried = [](const NodePtr& node) { return node->tried(); };
  const bool some = std::any_of(nodes_.begin(), nodes_.end(), well);
  if (some == usable_ && some) return;
  if (!usable_ && !std::all_of(nodes_.begin(), nodes_.end(), tried)) return;
  usable_ = some;
  if (!some) return say_down();
  if (std::exchange(down_, false)) events_.push_back(core::StoreUp{options_.store});
}

void Store::State::say_down() {
  if (std::exchange(down_, true)) return;
  events_.push_back(core::StoreDown{options_.store});
}

void Store::State::topology_changed() {
  if (cluster_) cluster_->learn();
}

void Store::State::redirected(const Node& from, Call call, std::span<const PermitId> permits,
                              const Redirection& to) {
  const auto now = Steady::now();
  const Address there{to.to.host.empty() ? from.address().host : to.to.host, to.to.port};
  if (!to.once) cluster_->moved(to.slot, there);
  Node* node = cluster_->node_at(there);
  call.manner.by = CallBy::digest;
  call.manner.asking = to.once;
  ++call.manner.redirections;
  const bool acquire = call.kind == Call::Kind::acquire;
  const bool can = node && node->well() && node->room();
  if (!can || call.manner.redirections > kMostRedirections) {
    return acquire ? context_.fail(call.ask) : give_back_later(call.line, permits, call.manner.why);
  }
  if (acquire) {
    node->send_acquire(call.line, call.ask, call.manner, now);
  } else {
    node->send_release(call.line, permits, call.manner, now);
  }
  node->flush(now);
}

void Store::State::give_back_later(const LinePtr& line, std::span<const PermitId> permits,
                                   Return why) {
  if (!late_releases_.empty()) {  // Many ends of one line go as one call.
    LateRelease& last = late_releases_.back();
    const bool fits = last.permits.size() + permits.size() <= kMaxPermitsPerRelease;
    if (last.line == line && last.why == why && fits) {
      last.permits.insert(last.permits.end(), permits.begin(), permits.end());
      return;
    }
  }
  if (late_releases_.size() >= kMostLateReleases) return;
  late_releases_.push_back({line, {permits.begin(), permits.end()}, why});
  if (late_releases_.size() > 1) return;
  const bool in_vain = Steady::now() - gave_back_ < 2 * late_release_delay_;
  late_release_delay_ =
      in_vain ? std::min(2 * late_release_delay_, kLongestLateReleaseDelay) : kLateReleaseDelay;
  late_release_timer_.expires_after(usable_ ? late_release_delay_ : kLateReleaseDelayWhileDown);
  late_release_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed_) self->give_back_now();
  });
}

// As ends, used or not: told twice they do no harm, and what they free is worth the same later.
void Store::State::end_later(const LinePtr& line, std::span<const PermitId> permits) {
  if (line->counts_held()) give_back_later(line, permits, Return::ended);
}

void Store::State::give_back_now() {
  const auto now = gave_back_ = Steady::now();
  for (const LateRelease& late : std::exchange(late_releases_, {})) {
    send_release(late.line, late.permits, late.why, now);
  }
  for (const NodePtr& node : nodes_) node->flush(now);
}

// Says the same only once until a line that had failed is answered again.
void Store::State::line_failed(Line& line, const std::string& detail) {
  line.failing = true;
  std::string told = line.limits + ": " + detail;
  if (line_troubles_.size() >= kMostLineTroubles || line_troubles_.contains(told)) return;
  notify_({Severity::error, "redis_limit", told});
  line_troubles_.insert(std::move(told));
}

void Store::State::line_closed(const Line& line) {
  TooLong& closed = too_long_[line.limits];
  closed.text =
      line.limits +
      " is closed for longer than it ever needs: its state in Redis is of a later time than "
      "now, as after the server's clock was set back; that is forgotten once the limit was closed "
      "for " +
      span_in_words(line.needs());
  closed.heard = Steady::now();
  notify_({Severity::warning, "redis_limit_closed", closed.text});
}

void Store::State::line_reopened(const LinePtr& line) {
  too_long_.erase(line->limits);
  notify_({Severity::warning, "redis_limit_reopened",
           line->limits + ": its state of a later time than now is forgotten, it grants again"});
  const bool there = line->id.value < lines_.size() && lines_[line->id.value] == line;
  if (there) events_.push_back(core::LimitsChanged{line->id, true});
}

void Store::State::line_recovered(Line& line) {
  line.failing = false;
  if (line_troubles_.empty()) return;
  line_troubles_.clear();
  notify_({Severity::info, "redis_limit", line.limits + ": answered again"});
}

}  // namespace einlass::redis
