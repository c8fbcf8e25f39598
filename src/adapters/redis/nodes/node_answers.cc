// What a server answers, and the events that it becomes.
#include <algorithm>
#include <utility>

#include "adapters/redis/nodes/node.h"

namespace einlass::redis {
namespace {

using Micros = std::chrono::microseconds;

// hiredis moves what is left of its buffer after each reply, so it gets small pieces.
constexpr std::size_t kPieceBytes = 4'096;

// The indexes in acquire's answer; what remains of each bucket follows, then the due times. In that
// of acquire_shared two numbers more come first, and the time of each level; and what remains is
// followed by how far each flow was served, and the due times by the index of each permit's flow.
enum AnswerField : std::size_t {
  kGranted,
  kNow,
  kRetry,
  kReason,
  kRemaining,
  kHeldUp = 4,
  kEpoch,
  kTime
};

bool by_flows(const Call& call) { return call.levels > 0; }

std::size_t remaining_at(const Call& call) {
  return by_flows(call) ? kTime + call.levels : kRemaining;
}

std::size_t served_at(const Call& call) { return remaining_at(call) + call.line->buckets; }

std::size_t due_at(const Call& call) { return served_at(call) + call.flows; }

bool is_status(const Reply& reply, std::string_view text) {
  return reply.kind == Reply::Kind::status && reply.text == text;
}

std::span<const std::int64_t> due_times(const Call& call, const Reply& reply) {
  const auto due = std::span(reply.integers).subspan(due_at(call));
  return by_flows(call) ? due.first(due.size() / 2) : due;
}

// Whose the permits are, by indexes in the ask.
std::span<const std::int64_t> flow_indexes(const Call& call, const Reply& reply) {
  return std::span(reply.integers).subspan(due_at(call) + due_times(call, reply).size());
}

// Times of levels, and how far flows were served: far beyond where the script counts anew. Times a
// weight it still fits.
bool is_tag(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  return number >= -kMost && number <= kMost;
}

bool has_sane_tags(const Call& call, const Reply& reply) {
  const std::span numbers(reply.integers);
  return is_tag(numbers[kEpoch]) &&
         std::ranges::all_of(numbers.subspan(kTime, call.levels), is_tag) &&
         std::ranges::all_of(numbers.subspan(served_at(call), call.flows), is_tag);
}

bool has_sane_flows(const Call& call, const Reply& reply) {
  if (!by_flows(call)) return true;
  if (!has_sane_tags(call, reply)) return false;
  const auto indexes = flow_indexes(call, reply);
  const std::int64_t held_up = reply.integers[kHeldUp];
  return indexes.size() == due_times(call, reply).size() && held_up >= 0 && held_up <= 2 &&
         std::ranges::all_of(indexes, [&](auto index) { return index >= 0 && index < call.flows; });
}

void read_told(const Call& call, const Reply& reply, ToldFlows& told) {
  const std::span numbers(reply.integers);
  told.held_up = static_cast<HeldUp>(numbers[kHeldUp]);
  told.epoch = numbers[kEpoch];
  const auto time = numbers.subspan(kTime, call.levels);
  told.time.assign(time.begin(), time.end());
  const auto served = numbers.subspan(served_at(call), call.flows);
  told.served.assign(served.begin(), served.end());
  told.flow.clear();
  for (const std::int64_t index : flow_indexes(call, reply)) {
    told.flow.push_back(static_cast<std::uint16_t>(index));
  }
}

// The scripts count in whole numbers up to 2^53, which are 285 years: what lies beyond is no answer
// of theirs, and sums of it would overflow.
bool is_counted(std::int64_t micros) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  return micros >= -kMost && micros <= kMost;
}

// A permit is never due later than was asked for. Of an ask that is made again it may be, a little:
// the server's clock may be behind that of the first answer.
bool has_sane_times(const Call& call, const Reply& reply) {
  const auto due = due_times(call, reply);
  constexpr Duration kBehind = Duration::seconds(60);
  const Duration latest = call.ask.again ? call.ask.horizon + kBehind : call.ask.horizon;
  const bool in_time = due.empty() || due.back() <= latest.us;
  return in_time && is_counted(reply.integers[kNow]) && is_counted(reply.integers[kRetry]) &&
         std::all_of(due.begin(), due.end(), is_counted);
}

// "Never" makes a dead letter of a record, so it is believed only where the limits' own numbers say
// the same.
bool is_possible(const Call& call, const Reply& reply) {
  const bool never = reply.integers[kGranted] == 0 && reply.integers[kRetry] < 0;
  return !never || call.line->may_be_never || call.ask.cost > call.line->most_cost;
}

// Due times lie behind only where an ask was made again.
bool well_formed(const Call& call, const Reply& reply) {
  const auto& values = reply.integers;
  if (reply.kind != Reply::Kind::array || values.size() < due_at(call)) return false;
  const auto due = due_times(call, reply);
  const auto buckets = static_cast<std::int64_t>(call.line->buckets);
  return values[kGranted] == static_cast<std::int64_t>(due.size()) &&
         values[kGranted] <= call.ask.max.value && values[kReason] >= -1 &&
         values[kReason] < buckets && std::is_sorted(due.begin(), due.end()) &&
         (due.empty() || due.front() >= 0 || call.ask.again) && has_sane_times(call, reply) &&
         has_sane_flows(call, reply) && is_possible(call, reply);
}

// Beyond what its limits ever need: clocks that are a little apart are no reason to tell anybody.
constexpr Duration kClosedTooLong = Duration::seconds(60);
constexpr Duration kClosedAskedEvery = Duration::seconds(1);  // At most.

bool is_closed(Line& line, const core::PermitsAnswered& answer) {
  const bool closed = answer.retry && *answer.retry > line.needs() + kClosedTooLong;
  if (!closed) line.closed_since.reset();
  return closed;
}

// Where fewer were granted than wanted: when to ask again. An ask for more than one call may carry
// can go on at once.
std::optional<Duration> retry_after(const core::Ask& ask, const Reply& reply) {
  const std::int64_t granted = reply.integers[kGranted];
  if (granted == ask.max.value) return std::nullopt;
  const std::size_t most = ask.flows != nullptr ? kMaxPermitsOfFlows : kMaxPermitsPerAsk;
  if (granted == static_cast<std::int64_t>(most)) return Duration{};
  const std::int64_t retry = reply.integers[kRetry];
  return retry >= 0 ? std::optional(Duration::micros(retry)) : std::nullopt;
}

}  // namespace

void Node::received(std::span<const char> bytes) {
  const auto self = shared_from_this();  // Whoever is told may let go of it.
  const auto now = Steady::now();
  last_read_ = now;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    bytes = bytes.subspan(piece.size());
    reader_->feed(piece);
    for (;;) {
      const auto result = reader_->next();
      if (result == ReplyReader::Result::more_needed) break;
      if (result == ReplyReader::Result::broken || calls_.empty()) {
        return lose(Severity::error, "redis_protocol",
                    "What answers at " + where_ +
                        " does not speak Redis' protocol: check host and port of redis.url");
      }
      Call call = calls_.pop();
      // Of those that were kept back some may have gone, behind a write that had not ended yet.
      kept_back_ = std::min(kept_back_, calls_.size());
      answered(std::move(call), reader_->reply(), now);
      if (!connection_) return;
    }
  }
  flush(now);
}

void Node::answered(Call call, const Reply& reply, Steady::time_point now) {
  switch (call.kind) {
    case Call::Kind::acquire:
      return acquire_answered(std::move(call), reply, now);
    case Call::Kind::release:
      return release_answered(std::move(call), reply, now);
    case Call::Kind::reopen:
      return reopen_answered(call, reply);
    case Call::Kind::wait:
      return wait_answered(call, reply, now);
    case Call::Kind::holds:
      return holds_answered(reply);
    case Call::Kind::ping:
      return ping_answered(call, reply, now);
    case Call::Kind::role:
      if (reply.kind == Reply::Kind::error) return login_answered(reply);
      if (reply.text == "master") return;
      return lose(Severity::warning, "redis_not_primary",
                  "Redis at " + where_ + " is not the primary that the Sentinels take it for (" +
                      harmless(reply.text, password_) + "); they are asked again");
    case Call::Kind::login:
      return login_answered(reply);
    case Call::Kind::asking:
      return;  // What counts is the answer to the call behind it.
  }
}

void Node::login_answered(const Reply& reply) {
  if (is_status(reply, "OK")) return;
  lose(Severity::error, "redis_refused", trouble_in(reply).detail);
}

void Node::acquire_answered(Call call, const Reply& reply, Steady::time_point now) {
  if (!well_formed(call, reply)) return acquire_refused(std::move(call), reply, now);
  const bool granted = reply.integers[kGranted] > 0;
  if (context_.options.wait_replicas == 0) went_well(granted);
  call.line->moves_since.reset();
  if (call.line->failing) context_.owner.line_recovered(*call.line);
  // The ask has failed long ago and is made again, then it is told the same; or it is given up.
  if (call.late) return;
  // A process that was suspended has the answer before it looks at the time. How old these permits
  // are is said when they are asked for again.
  if (now - call.sent > timeout_) return context_.fail(call.ask, Duration{});
  context_.call_observed(Duration{std::chrono::duration_cast<Micros>(now - call.sent).count()});
  answer(call, reply, now);
}

void Node::answer(const Call& call, const Reply& reply, Steady::time_point now) {
  std::vector<Duration>& due = call.line->due;
  due.clear();
  for (const std::int64_t us : due_times(call, reply)) due.push_back(Duration::micros(us));
  if (by_flows(call)) read_told(call, reply, *call.line->told);
  const std::int64_t reason = std::max<std::int64_t>(0, reply.integers[kReason]);
  core::PermitsAnswered answer{
      .line = call.line->id,
      .ask = call.ask.ask,
      .due = due,
      .limiter_now = Instant{reply.integers[kNow]},
      .retry = retry_after(call.ask, reply),
      .reason = core::LimitIndex{static_cast<std::uint8_t>(reason)},
      .ahead = std::min(call.ask.horizon, call.line->ahead),
      .flows = by_flows(call) ? call.line->told.get() : nullptr,
  };
  const bool is_late = was_set_back(answer.limiter_now, now) || !call.line->may_lie_ahead;
  if (is_closed(*call.line, answer) && is_late) answer.retry = closed(call.line, now);
  context_.errors.answered();
  if (context_.options.wait_replicas > 0 && !due.empty()) {
    return unconfirmed_.push_back({call.line, answer});
  }
  ++(due.empty() ? context_.counts.denied : context_.counts.granted);
  context_.events.push_back(answer);
}

// Whether the server's clock was set back so lately that there may be state of a later time, or a
// server that is behind has replaced it. What a gcra keeps does not say whether it lies ahead
// for that, or for a burst that is larger than this gate knows.
bool Node::was_set_back(Instant server, Steady::time_point now) {
  const auto ours = std::chrono::duration_cast<Micros>(now.time_since_epoch()).count();
  const Duration ahead{server.us - ours};
  const bool back = clock_ahead_ && ahead + kClosedTooLong < *clock_ahead_;
  if (back) set_back_until_ = std::max(now, set_back_until_) + Micros((*clock_ahead_ - ahead).us);
  if (back || !clock_ahead_ || ahead > *clock_ahead_) clock_ahead_ = ahead;
  return now < set_back_until_;
}

// State of a later time than now closes a limit until that time. So it is forgotten; but not before
// the limit was closed for as long as it ever needs by our own clock, for until then what was
// granted before may still count. It is looked up each time, for a window that was longer when it
// was opened is nobody's fault. Returns when to ask again.
Duration Node::closed(const LinePtr& line, Steady::time_point now) {
  if (!line->closed_since) line->closed_since = now;
  const bool over = now - *line->closed_since >= Micros(line->needs().us);
  if (over) line->closed_since = now;  // Once more after as long, if it does not help.
  reopen(line, !over, now);
  return std::max(line->needs(), kClosedAskedEvery);
}

// One that finds its slot elsewhere, or the node not able, is not made again: the next one is.
void Node::reopen_answered(const Call& call, const Reply& reply) {
  const std::int64_t found = reply.kind == Reply::Kind::integer ? reply.integers.front() : 0;
  if (found < 0) return;  // A window that was longer explains it.
  if (found > 0 && !call.looks) return context_.owner.line_reopened(call.line);
  context_.owner.line_closed(*call.line);
}

void Node::acquire_refused(Call call, const Reply& reply, Steady::time_point now) {
  if (goes_elsewhere(call, reply, now)) return;
  const Trouble trouble = trouble_in(reply);
  if (!call.late) ++context_.counts.errors;
  if (trouble.reaction == Reaction::fail_line) {
    const bool unserved = is_unserved_slot(reply.text);
    if (unserved) context_.owner.topology_changed();
    context_.owner.line_failed(*call.line, trouble.detail);
    context_.errors.refused(call.line->limits + ": " + trouble.detail, now);
    if (!call.late) context_.fail(call.ask, unserved ? kNodeDownWait : kLineTroubleWait);
    return;
  }
  refused(trouble);
  if (!call.late) context_.fail(call.ask);
}

Trouble Node::trouble_in(const Reply& reply) const {
  if (reply.kind == Reply::Kind::error) {
    return explain(reply.text, where_, context_.options, password_);
  }
  return {"an answer has a shape of its own at " + where_ +
              ": is something between that changes replies?",
          Reaction::fail_line};
}

void Node::take_permits(const Call& call) {
  permits_again_.clear();
  for (std::uint16_t i = 0; i < call.permits; ++i)
    permits_again_.push_back(permits_of_calls_.pop());
}

void Node::release_answered(Call call, const Reply& reply, Steady::time_point now) {
  take_permits(call);
  if (reply.kind == Reply::Kind::integer) return went_well(false);
  if (goes_elsewhere(call, reply, now)) return;
  ++context_.counts.errors;
  const Trouble trouble = trouble_in(reply);
  if (trouble.reaction == Reaction::fail_line) {
    // Somebody will serve the slot again; what is wrong with a key may stay so for ever.
    if (is_unserved_slot(reply.text)) context_.owner.end_later(call.line, permits_again_);
    return context_.owner.line_failed(*call.line, trouble.detail);
  }
  context_.owner.end_later(call.line, permits_again_);
  refused(trouble);
}

// It comes behind the answers that it decides about, and before those of the next turn.
void Node::wait_answered(const Call& call, const Reply& reply, Steady::time_point now) {
  wait_open_ = false;
  const int wanted = context_.options.wait_replicas;
  if (reply.kind == Reply::Kind::integer && reply.integers.front() >= wanted) {
    went_well(!unconfirmed_.empty());
    // As in acquire_answered().
    if (now - call.sent > timeout_) return fail_unconfirmed();
    context_.confirmations.answered();
    context_.counts.granted += unconfirmed_.size();
    for (const Unconfirmed& one : unconfirmed_) context_.events.push_back(one.answer);
    return unconfirmed_.clear();
  }
  fail_unconfirmed();
  if (reply.kind != Reply::Kind::integer) return refused(trouble_in(reply));
  unproven_ = true;  // What needs no replica, as what is given back, is answered all the same.
  const std::string trouble =
      "Only " + std::to_string(reply.integers.front()) + " of " + std::to_string(wanted) +
      " replicas of " + where_ +
      " have confirmed a grant in time (redis.wait_replicas); it counts once they have";
  context_.confirmations.refused(trouble, now);
  tell(Severity::warning, "redis_replicas", trouble);
}

// A call that finds its slot elsewhere, or the node not able, is not made again: the next one is.
// While the slot is on its way they are all in vain, and who holds it is known.
void Node::holds_answered(const Reply& reply) {
  if (reply.kind == Reply::Kind::array) return context_.owner.holds_answered(reply.integers, "");
  const auto to = redirection(reply.text);
  const bool unserved = is_unserved_slot(reply.text);
  if (unserved || (to && !to->once)) context_.owner.topology_changed();
  const bool passes = unserved || to || is_try_again(reply.text);
  context_.owner.holds_answered({}, passes ? std::string() : trouble_in(reply).detail);
}

void Node::fail_unconfirmed() {
  for (const Unconfirmed& one : unconfirmed_) {
    ++context_.counts.errors;
    context_.events.push_back(core::PermitsFailed{one.answer.line, one.answer.ask});
  }
  unconfirmed_.clear();
}

void Node::ping_answered(const Call& call, const Reply& reply, Steady::time_point now) {
  const bool pong = is_status(reply, "PONG");
  if (!open_ && !pong) {
    return lose(Severity::error, "redis_refused", trouble_in(reply).detail);
  }
  pinging_ = false;
  if (!pong) {
    Trouble trouble = trouble_in(reply);
    if (trouble.reaction == Reaction::fail_line) trouble.reaction = Reaction::pause;
    return refused(trouble);
  }
  if (call.late) return ping(now);  // It lives, but is it fast enough again?
  if (!open_) {
    open_ = true;
    reconnect_delay_ = kFirstReconnectDelay;
  }
  rise_if_well();
  went_well(false);
}

}  // namespace einlass::redis
