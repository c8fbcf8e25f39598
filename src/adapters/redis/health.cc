// Connecting and logging in, deadlines, and whether the store counts as up.
#include <algorithm>
#include <cstring>
#include <utility>

#include "adapters/redis/resp.h"
#include "adapters/redis/state.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

using std::chrono::milliseconds;
using Micros = std::chrono::microseconds;

constexpr milliseconds kLastReconnectDelay{2'000};
constexpr milliseconds kLastRefusalDelay{2'000};

// A connection on which calls are late and nothing comes for so many timeouts is given up, and
// never sooner than this.
constexpr int kSilentTimeouts = 4;
constexpr milliseconds kLeastSilence{2'000};

Endpoint endpoint(const StoreOptions& options) {
  return {.host = options.host,
          .port = options.port,
          .tls = options.tls,
          .ca_file = options.ca_file,
          .server_name = options.server_name.empty() ? options.host : options.server_name};
}

std::minstd_rand::result_type seed(const std::array<std::uint8_t, 8>& run) {
  std::minstd_rand::result_type seed = 0;
  std::memcpy(&seed, run.data(), std::min(sizeof seed, run.size()));
  return seed;
}

}  // namespace

Store::State::State(boost::asio::io_context& io, StoreOptions options, core::Events& events,
                    Notify notify, std::function<void(Duration)> call_observed)
    : io_(io),
      options_(std::move(options)),
      events_(events),
      notify_(std::move(notify)),
      call_observed_(std::move(call_observed)),
      where_(options_.host + ":" + std::to_string(options_.port)),
      timeout_(options_.timeout.us),
      scripts_(options_.run),
      deadline_timer_(io),
      reconnect_timer_(io),
      refusal_timer_(io),
      reconnect_delay_(kFirstReconnectDelay),
      refusal_delay_(kFirstRefusalDelay),
      random_(seed(options_.run)) {
  CHECK(notify_ && call_observed_);
}

void Store::State::connect() {
  reader_ = std::make_unique<ReplyReader>();
  connection_ = std::make_shared<Connection>(io_, endpoint(options_), *this);
  connection_->open(silence_limit());
}

// The login goes out in one piece; the PING at its end tells that all of it was accepted.
void Store::State::opened() {
  const auto now = Steady::now();
  last_read_ = now;
  std::string& out = connection_->out();
  if (!options_.password.empty()) {
    append_array(out, options_.username.empty() ? 2 : 3);
    append_bulk(out, "AUTH");
    if (!options_.username.empty()) append_bulk(out, options_.username);
    append_bulk(out, options_.password);
    push({.kind = Call::Kind::login}, now);
  }
  if (options_.database != 0) {
    append_array(out, 2);
    append_bulk(out, "SELECT");
    append_number(out, options_.database);
    push({.kind = Call::Kind::select}, now);
  }
  ping(now);
  connection_->send();
  watch();
}

void Store::State::ping(Steady::time_point now) {
  append_array(connection_->out(), 1);
  append_bulk(connection_->out(), "PING");
  push({.kind = Call::Kind::ping}, now);
  pinging_ = true;
}

void Store::State::lost(const std::string& why) {
  lose(Severity::warning, open_ ? "redis_lost" : "redis_unreachable",
       "Redis at " + where_ + ": " + why + "; it is tried again until it answers");
}

void Store::State::lose(Severity severity, std::string_view what, const std::string& detail) {
  tell(severity, what, detail);
  disconnect();
  reconnect_timer_.expires_after(jittered(reconnect_delay_));
  reconnect_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed_) self->connect();
  });
  reconnect_delay_ = std::min(2 * reconnect_delay_, kLastReconnectDelay);
}

// What the open calls have cost is not known and cannot be given back without a connection.
void Store::State::disconnect() {
  connection_->close();
  connection_.reset();
  refusal_timer_.cancel();
  open_ = pinging_ = waiting_ = reconnect_after_wait_ = false;
  say_down();
  fail_open_calls();
}

void Store::State::fail_open_calls() {
  for (std::size_t i = calls_.late(); i < calls_.size(); ++i) {
    if (calls_[i].kind == Call::Kind::acquire || calls_[i].kind == Call::Kind::release) {
      ++counts_.errors;
    }
    if (calls_[i].kind == Call::Kind::acquire) fail(calls_[i].ask);
  }
  for (const core::Ask& ask : asks_of_turn_) fail(ask);
  for (const LinePtr& line : lines_going_back_) line->going_back.clear();
  calls_.clear();
  permits_of_calls_.clear();
  asks_of_turn_.clear();
  lines_going_back_.clear();
}

// An error reply: whether the cause is gone only the next call can tell, so after a while the store
// says that it is up and lets it try.
void Store::State::refused(const Trouble& trouble) {
  tell(Severity::error, "redis_error", trouble.detail);
  say_down();
  unproven_ = true;
  reconnect_after_wait_ |= trouble.reconnect;
  if (waiting_) return;
  waiting_ = true;
  refusal_timer_.expires_after(jittered(refusal_delay_));
  refusal_timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed_) self->refusal_is_over();
  });
  refusal_delay_ = std::min(2 * refusal_delay_, kLastRefusalDelay);
}

void Store::State::refusal_is_over() {
  if (!waiting_) return;
  waiting_ = false;
  if (!std::exchange(reconnect_after_wait_, false)) return say_up_if_well();
  disconnect();
  connect();
}

void Store::State::overloaded(Steady::time_point now) {
  tell(Severity::warning, "redis_overload",
       "Redis at " + where_ + " is too far behind: " + std::to_string(calls_.size()) +
           " calls are open; give it more CPU or a network that is faster");
  say_down();
  if (!pinging_) ping(now);
}

void Store::State::proven() {
  unproven_ = false;
  refusal_delay_ = kFirstRefusalDelay;
  if (trouble_.empty()) return;
  trouble_.clear();
  notify_({Severity::info, "redis_up", "Redis at " + where_ + " answers"});
}

void Store::State::say_down() {
  if (std::exchange(down_, true)) return;
  events_.push_back(core::StoreDown{options_.store});
}

void Store::State::say_up_if_well() {
  if (!open_ || pinging_ || waiting_ || !std::exchange(down_, false)) return;
  events_.push_back(core::StoreUp{options_.store});
}

// Says the same only once until something goes well.
void Store::State::tell(Severity severity, std::string_view what, const std::string& detail) {
  if (trouble_ == detail) return;
  trouble_ = detail;
  notify_({severity, std::string(what), detail});
}

// The timer is set anew only where it would fire too late, so a call costs a comparison.
void Store::State::watch() {
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

Steady::time_point Store::State::next_deadline() {
  auto next = Steady::time_point::max();
  if (calls_.late() < calls_.size()) next = calls_.oldest_in_time().sent + timeout_;
  if (calls_.late() == 0) return next;
  return std::min(next, std::max(last_read_, calls_.front().sent) + silence_limit());
}

void Store::State::deadlines_passed(Steady::time_point now) {
  while (calls_.late() < calls_.size() && calls_.oldest_in_time().sent + timeout_ <= now) {
    time_over(calls_.mark_late(), now);
    if (!connection_) return;
  }
  if (calls_.late() > 0 && std::max(last_read_, calls_.front().sent) + silence_limit() <= now) {
    return lost("it has said nothing for " +
                std::to_string(duration_cast<milliseconds>(silence_limit()).count()) + " ms");
  }
  connection_->send();
  watch();
}

void Store::State::time_over(Call& call, Steady::time_point now) {
  const std::string ms = std::to_string(duration_cast<milliseconds>(timeout_).count());
  if (!open_) return lost("no answer to the login within " + ms + " ms");
  if (call.kind == Call::Kind::ping) return;
  ++counts_.timeouts;
  tell(Severity::warning, "redis_timeout",
       "Redis at " + where_ + " did not answer within " + ms + " ms (redis.timeout)");
  say_down();
  if (call.kind == Call::Kind::acquire) fail(call.ask);
  if (!pinging_) ping(now);
}

Micros Store::State::silence_limit() const {
  return std::max<Micros>(kSilentTimeouts * timeout_, kLeastSilence);
}

// Between half of it and all of it, so that a fleet does not come back in step.
Micros Store::State::jittered(milliseconds delay) {
  const Micros::rep most = Micros(delay).count();
  return Micros(std::uniform_int_distribution<Micros::rep>(most / 2, most)(random_));
}

void Store::State::close() {
  closed_ = true;
  if (connection_) connection_->close();
  deadline_timer_.cancel();
  reconnect_timer_.cancel();
  refusal_timer_.cancel();
}

}  // namespace einlass::redis
