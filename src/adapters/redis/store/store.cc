// Lines, and what is asked and given back: to the node that has them.
#include "adapters/redis/store/store.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapters/redis/store/store_state.h"
#include "limits/permits/refusal.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

std::minstd_rand::result_type seed(const std::array<std::uint8_t, 8>& run) {
  std::minstd_rand::result_type seed = 0;
  std::memcpy(&seed, run.data(), std::min(sizeof seed, run.size()));
  return seed;
}

PermitId id_of(const core::Permit& permit) {
  return {permit.ask,       permit.index, permit.stamp, permit.cost, permit.flow.value_or(FlowId{}),
          permit.flow_level};
}

// The last ones: a call says the cost of its permits once.
std::span<const PermitId> of_one_cost(std::span<const PermitId> permits) {
  const auto other = std::find_if(permits.rbegin(), permits.rend(), [&](const PermitId& permit) {
    return permit.cost != permits.back().cost;
  });
  return permits.last(static_cast<std::size_t>(other - permits.rbegin()));
}

}  // namespace

Store::Store(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
             std::function<void(Duration)> call_observed)
    : state_(std::make_shared<State>(io, std::move(options), events, std::move(notify),
                                     std::move(call_observed))) {
  state_->start();
}

Store::~Store() { state_->close(); }

void Store::add_line(core::LineId line, std::span<const Bucket> buckets) {
  state_->add_line(line, buckets);
}

void Store::forget_line(core::LineId line) { state_->forget_line(line); }

void Store::change_line(core::LineId line, std::span<const Bucket> buckets) {
  state_->change_line(line, buckets);
}

void Store::ask(const core::Ask& ask) { state_->ask(ask); }

void Store::release(const core::Release& release) {
  const PermitId permit = id_of(release.permit);
  state_->give_back(state_->line(release.line), {&permit, 1}, Return::unused);
}

void Store::ended(const core::Ended& ended) {
  Line& line = state_->line(ended.line);
  const PermitId permit = id_of(ended.permit);
  if (line.counts_held()) state_->give_back(line, {&permit, 1}, Return::ended);
}

// Nobody knows how many it was granted: none, or any of those that it wanted. One that never left
// was granted none.
void Store::give_up(const core::Ask& ask) {
  Line& line = state_->line(ask.line);
  if (!line.counts_held() || line.not_sent == ask.ask) return;
  std::vector<PermitId> permits(std::min<std::size_t>(ask.max.value, kMaxPermitsPerAsk));
  for (std::uint16_t i = 0; i < permits.size(); ++i) {
    permits[i] = {ask.ask, i, {}, ask.costs.empty() ? ask.cost : ask.costs[i], {}};
  }
  state_->give_back(line, permits, Return::ended);
}

void Store::hold(core::TargetId target, Duration length) { state_->hold(target, length); }

void Store::flush() { state_->flush(); }

StoreStatus Store::status() const { return state_->status(); }

Store::State::State(boost::asio::io_context& io, StoreOptions options, core::Events& events,
                    Notify notify, std::function<void(Duration)> call_observed)
    : options_(std::move(options)),
      events_(events),
      notify_(std::move(notify)),
      call_observed_(std::move(call_observed)),
      scripts_(options_.run),
      random_(seed(options_.run)),
      context_{io,      options_, events_,        notify_, call_observed_, scripts_,
               counts_, errors_,  confirmations_, random_, *this},
      holds_(options_.name_space, options_.targets, events_),
      holds_timer_(io),
      listener_(io, options_, holds_channel(options_.name_space),
                [this](const std::string& in_vain) { holds_heard(in_vain); }),
      late_release_timer_(io),
      primary_timer_(io) {
  CHECK(notify_ && call_observed_);
}

void Store::State::start() {
  if (holds_.any()) watch_holds();
  if (options_.cluster) {
    cluster_ = std::make_shared<Cluster>(context_, nodes_);
    return cluster_->learn();
  }
  if (!options_.sentinels.empty()) sentinels_ = std::make_unique<Sentinels>(context_.io, options_);
  nodes_.push_back(std::make_shared<Node>(context_, Address{options_.host, options_.port}));
  nodes_.front()->connect();
  if (sentinels_) watch_primary();
}

Line& Store::State::line(core::LineId id) {
  CHECK(id.value < lines_.size() && lines_[id.value]);
  return *lines_[id.value];
}

void Store::State::add_line(core::LineId id, std::span<const Bucket> buckets) {
  if (id.value >= lines_.size()) lines_.resize(id.value + 1);
  CHECK(!lines_[id.value]);
  LinePtr line = make_line(id, options_.name_space, buckets);
  scripts_.prepare(*line);
  lines_[id.value] = std::move(line);
}

// What is still to be given back goes as it was granted: it has the old line.
void Store::State::change_line(core::LineId id, std::span<const Bucket> buckets) {
  const LinePtr before = lines_[id.value];
  lines_[id.value].reset();
  add_line(id, buckets);
  Line& after = line(id);
  after.failing = before->failing;
  after.not_sent = before->not_sent;
  // What the limits were like before may still be what its state is of.
  // With a rate of 0 nothing was booked.
  if (before->refill < limits::kLongestWindow) {
    after.refill = std::max(after.refill, before->refill);
  }
  after.horizon = std::max(after.horizon, before->horizon);
}

void Store::State::forget_line(core::LineId id) {
  if (line(id).failing) line_troubles_.clear();  // It cannot say any more that it recovered.
  lines_[id.value].reset();
}

void Store::State::ask(const core::Ask& ask) {
  if (usable_ && !down_) return asks_of_turn_.push_back(ask);
  if (!ask.again) line(ask.line).not_sent = ask.ask;
  say_down();
  context_.fail(ask);
}

// What is given back goes first: it may be what the asks of the same turn need.
void Store::State::flush() {
  if (asks_of_turn_.empty() && lines_going_back_.empty()) return;
  const auto now = Steady::now();
  send_releases(now);
  for (const core::Ask& ask : asks_of_turn_) send_ask(ask, now);
  asks_of_turn_.clear();
  for (const NodePtr& node : nodes_) node->flush(now);
}

void Store::State::send_ask(const core::Ask& ask, Steady::time_point now) {
  Line& line = this->line(ask.line);
  Node* node = node_of(line);
  if (node && node->well() && !node->room()) node->overloaded(now);
  if (node && node->well()) {
    line.not_sent = core::AskId{};
    return node->send_acquire(&line, ask, {}, now);
  }
  if (!ask.again) line.not_sent = ask.ask;
  ++counts_.errors;
  // The other nodes may be well, and asked for nothing: then no answer tells of it.
  if (cluster_) {
    const std::string& why = node ? node->trouble() : cluster_->trouble();
    errors_.refused(line.limits + ": " + (why.empty() ? "its node cannot be asked" : why), now);
  }
  context_.fail(ask, down_ ? core::PermitsFailed{}.wait : kNodeDownWait);
}

// Without a connection the permit is lost: the limit grants one less until it expires. Its place
// among the attempts under way is not.
void Store::State::give_back(Line& line, std::span<const PermitId> permits, Return why) {
  if (!usable_) return end_later(&line, permits);
  if (line.going_back.empty() && line.ended.empty()) lines_going_back_.push_back(&line);
  auto& going = why == Return::ended ? line.ended : line.going_back;
  going.insert(going.end(), permits.begin(), permits.end());
}

void Store::State::send_releases(Steady::time_point now) {
  for (const LinePtr& line : lines_going_back_) {
    send_release(line, line->going_back, Return::unused, now);
    send_release(line, line->ended, Return::ended, now);
    line->going_back.clear();
    line->ended.clear();
  }
  lines_going_back_.clear();
}

void Store::State::send_release(const LinePtr& line, std::span<const PermitId> permits, Return why,
                                Steady::time_point now) {
  Node* node = node_of(*line);
  const bool one_cost = (why == Return::ended ? line->held : *line).costs.empty();
  // The last ones first: a queue takes back no turn that has others behind it.
  while (!permits.empty() && node && node->well() && node->room()) {
    const auto some = permits.last(std::min(permits.size(), kMaxPermitsPerRelease));
    const auto same = one_cost ? some : of_one_cost(some);
    node->send_release(line, same, {.why = why}, now);
    permits = permits.first(permits.size() - same.size());
  }
  if (!permits.empty()) end_later(line, permits);
}

StoreStatus Store::State::status() const {
  StoreStatus status = counts_;
  const bool answers = usable_ && !down_;
  if (answers) {
    status.trouble = errors_.trouble(Steady::now());
    if (status.trouble.empty()) status.trouble = confirmations_.trouble(Steady::now());
  }
  status.up = answers && status.trouble.empty();
  status.nodes = nodes_.size();
  for (const NodePtr& node : nodes_) status.nodes_up += node->well();
  // Who waits asks again that often (core/admission/shortage.cc), and is told the same while it
  // holds.
  constexpr std::chrono::seconds kStands{35};
  for (const auto& [limits, one] : too_long_) {
    if (Steady::now() - one.heard < kStands) status.closed = one.text;
  }
  if (answers) return status;
  if (cluster_) status.trouble = cluster_->trouble();
  for (const NodePtr& node : nodes_) {
    if (status.trouble.empty()) status.trouble = node->trouble();
  }
  return status;
}

void Store::State::close() {
  closed_ = true;
  late_release_timer_.cancel();
  holds_timer_.cancel();
  listener_.hang_up();
  primary_timer_.cancel();
  if (sentinels_) sentinels_->cancel();
  if (cluster_) cluster_->close();
  for (const NodePtr& node : nodes_) node->close();
}

}  // namespace einlass::redis
