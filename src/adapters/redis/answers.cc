// What Redis answers, and the events that it becomes.
#include <algorithm>
#include <utility>

#include "adapters/redis/state.h"

namespace einlass::redis {
namespace {

using Micros = std::chrono::microseconds;

// hiredis moves what is left of its buffer after each reply, so it gets small pieces.
constexpr std::size_t kPieceBytes = 4'096;

// The places in acquire's answer; what remains of each bucket follows, then the due times.
enum Place : std::size_t { kGranted, kNow, kRetry, kReason, kRemaining };

bool is_status(const Reply& reply, std::string_view text) {
  return reply.kind == Reply::Kind::status && reply.text == text;
}

std::span<const std::int64_t> due_times(const Call& call, const Reply& reply) {
  return std::span(reply.integers).subspan(kRemaining + call.line->buckets);
}

bool well_formed(const Call& call, const Reply& reply) {
  const auto& values = reply.integers;
  const std::size_t head = kRemaining + call.line->buckets;
  if (reply.kind != Reply::Kind::array || values.size() < head) return false;
  const auto due = due_times(call, reply);
  const auto buckets = static_cast<std::int64_t>(call.line->buckets);
  return values[kGranted] == static_cast<std::int64_t>(due.size()) &&
         values[kGranted] <= call.ask.max.value && values[kReason] >= -1 &&
         values[kReason] < buckets && std::is_sorted(due.begin(), due.end()) &&
         (due.empty() || due.front() >= 0);
}

// Where fewer were granted than wanted: when to ask again. An ask for more than one call may carry
// can go on at once.
std::optional<Duration> retry_after(const core::Ask& ask, const Reply& reply) {
  const std::int64_t granted = reply.integers[kGranted];
  if (granted == ask.max.value) return std::nullopt;
  if (granted == kMaxPermitsPerAsk) return Duration{};
  const std::int64_t retry = reply.integers[kRetry];
  return retry >= 0 ? std::optional(Duration::micros(retry)) : std::nullopt;
}

}  // namespace

void Store::State::received(std::span<const char> bytes) {
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
      answered(calls_.pop(), reader_->reply(), now);
      if (!connection_) return;
    }
  }
  send_releases(now);
  connection_->send();
  watch();
}

void Store::State::answered(Call call, const Reply& reply, Steady::time_point now) {
  switch (call.kind) {
    case Call::Kind::acquire:
      return acquire_answered(std::move(call), reply, now);
    case Call::Kind::release:
      return release_answered(std::move(call), reply, now);
    case Call::Kind::ping:
      return ping_answered(call, reply, now);
    case Call::Kind::login:
    case Call::Kind::select:
      if (is_status(reply, "OK")) return;
      return lose(Severity::error, "redis_refused", explain(reply.text, where_).detail);
  }
}

void Store::State::acquire_answered(Call call, const Reply& reply, Steady::time_point now) {
  const bool error = reply.kind == Reply::Kind::error;
  if (error && is_unknown_script(reply.text) && call.by == CallBy::digest) {
    if (!call.late) send_again(std::move(call), now);
    return;
  }
  if (well_formed(call, reply)) {
    if (!down_) proven();
    if (call.late) return give_back_all(call, reply);
    call_observed_(Duration{std::chrono::duration_cast<Micros>(now - call.sent).count()});
    return answer(call, reply);
  }
  refused(error ? explain(reply.text, where_)
                : Trouble{"the limiter's script answers in a shape of its own at " + where_ +
                          ": is something between that changes replies?"});
  if (call.late) return;
  ++counts_.errors;
  fail(call.ask);
}

void Store::State::answer(const Call& call, const Reply& reply) {
  std::vector<Duration>& due = call.line->due;
  due.clear();
  for (const std::int64_t us : due_times(call, reply)) due.push_back(Duration::micros(us));
  ++(due.empty() ? counts_.denied : counts_.granted);
  const std::int64_t reason = std::max<std::int64_t>(0, reply.integers[kReason]);
  events_.push_back(core::PermitsAnswered{
      .line = call.line->id,
      .ask = call.ask.ask,
      .due = due,
      .limiter_now = Instant{reply.integers[kNow]},
      .retry = retry_after(call.ask, reply),
      .reason = core::LimitIndex{static_cast<std::uint8_t>(reason)},
  });
}

// The ask has failed long ago: nobody will use what it granted.
void Store::State::give_back_all(const Call& call, const Reply& reply) {
  for (std::uint16_t i = 0; i < reply.integers[kGranted]; ++i) {
    give_back(*call.line, {call.ask.ask, i});
  }
}

void Store::State::take_permits(const Call& call) {
  permits_again_.clear();
  for (std::uint16_t i = 0; i < call.permits; ++i)
    permits_again_.push_back(permits_of_calls_.pop());
}

void Store::State::release_answered(Call call, const Reply& reply, Steady::time_point now) {
  take_permits(call);
  if (reply.kind == Reply::Kind::integer) {
    if (!down_) proven();
    return;
  }
  if (is_unknown_script(reply.text) && call.by == CallBy::digest) {
    return send_again(std::move(call), now);
  }
  ++counts_.errors;
  refused(explain(reply.text, where_));
}

void Store::State::ping_answered(const Call& call, const Reply& reply, Steady::time_point now) {
  const bool pong = is_status(reply, "PONG");
  if (!open_ && !pong) {
    return lose(Severity::error, "redis_refused", explain(reply.text, where_).detail);
  }
  pinging_ = false;
  if (!pong) return refused(explain(reply.text, where_));
  if (call.late) return ping(now);  // It lives, but is it fast enough again?
  if (!open_) {
    open_ = true;
    reconnect_delay_ = kFirstReconnectDelay;
  }
  say_up_if_well();
  if (!down_ && !unproven_) proven();
}

}  // namespace einlass::redis
