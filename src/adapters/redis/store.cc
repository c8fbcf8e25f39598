#include "adapters/redis/store.h"

#include <algorithm>
#include <utility>

#include "adapters/redis/state.h"
#include "units/check.h"

namespace einlass::redis {

Store::Store(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
             std::function<void(Duration)> call_observed)
    : state_(std::make_shared<State>(io, std::move(options), events, std::move(notify),
                                     std::move(call_observed))) {
  state_->connect();
}

Store::~Store() { state_->close(); }

void Store::add_line(core::LineId line, std::span<const Bucket> buckets) {
  state_->add_line(line, buckets);
}

void Store::forget_line(core::LineId line) { state_->forget_line(line); }

void Store::ask(const core::Ask& ask) { state_->ask(ask); }

void Store::release(const core::Release& release) {
  state_->give_back(state_->line(release.line), {release.permit.ask, release.permit.index});
}

void Store::flush() { state_->flush(); }

StoreStatus Store::status() const {
  StoreStatus status = state_->counts_;
  status.up = state_->open_ && !state_->down_;
  if (!status.up) status.trouble = state_->trouble_;
  return status;
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

void Store::State::forget_line(core::LineId id) {
  line(id);
  lines_[id.value].reset();
}

void Store::State::ask(const core::Ask& ask) {
  if (open_ && !down_) return asks_of_turn_.push_back(ask);
  say_down();
  fail(ask);
}

// What is given back goes first: it may be what the asks of the same turn need.
void Store::State::flush() {
  if (asks_of_turn_.empty() && lines_going_back_.empty()) return;
  const auto now = Steady::now();
  send_releases(now);
  for (const core::Ask& ask : asks_of_turn_) {
    if (!down_ && !room()) overloaded(now);
    if (down_) {
      ++counts_.errors;
      fail(ask);
    } else {
      send_acquire(&line(ask.line), ask, CallBy::digest, now);
    }
  }
  asks_of_turn_.clear();
  if (connection_) connection_->send();
  watch();
}

// Without a connection the permit is lost: the limit grants one less until it expires.
void Store::State::give_back(Line& line, PermitId permit) {
  if (!open_) return;
  if (line.going_back.empty()) lines_going_back_.push_back(&line);
  line.going_back.push_back(permit);
}

void Store::State::send_releases(Steady::time_point now) {
  for (const LinePtr& line : lines_going_back_) {
    std::span<const PermitId> permits = line->going_back;
    while (!permits.empty() && room()) {
      const std::size_t some = std::min(permits.size(), kMaxPermitsPerRelease);
      send_release(line, permits.first(some), CallBy::digest, now);
      permits = permits.subspan(some);
    }
    line->going_back.clear();
  }
  lines_going_back_.clear();
}

void Store::State::send_release(const LinePtr& line, std::span<const PermitId> permits, CallBy by,
                                Steady::time_point now) {
  scripts_.append_release(connection_->out(), by, *line, permits);
  for (const PermitId& permit : permits) permits_of_calls_.push(permit);
  push({.kind = Call::Kind::release,
        .by = by,
        .permits = static_cast<std::uint16_t>(permits.size()),
        .line = line},
       now);
  if (by == CallBy::text) line->scripts->release.brought = calls_made_;
}

void Store::State::send_acquire(const LinePtr& line, const core::Ask& ask, CallBy by,
                                Steady::time_point now) {
  scripts_.append_acquire(connection_->out(), by, *line, ask);
  push({.kind = Call::Kind::acquire, .by = by, .line = line, .ask = ask}, now);
  if (by == CallBy::text) line->scripts->acquire.brought = calls_made_;
}

// A call that found no script never ran. It goes again with the whole script, or with the digest
// where a later call has already brought the script. Its time starts anew.
void Store::State::send_again(Call call, Steady::time_point now) {
  const bool acquire = call.kind == Call::Kind::acquire;
  const Script& script = acquire ? call.line->scripts->acquire : call.line->scripts->release;
  const CallBy by = script.brought > call.number ? CallBy::digest : CallBy::text;
  if (acquire) return send_acquire(call.line, call.ask, by, now);
  send_release(call.line, permits_again_, by, now);
}

void Store::State::push(Call call, Steady::time_point now) {
  call.number = ++calls_made_;
  call.sent = now;
  calls_.push(std::move(call));
}

void Store::State::fail(const core::Ask& ask) {
  events_.push_back(core::PermitsFailed{ask.line, ask.ask});
}

bool Store::State::room() const {
  return !calls_.full() && connection_ && connection_->out().size() < kMaxUnsentBytes;
}

}  // namespace einlass::redis
