// How an attempt begins: what its request carries besides its record, and what becomes of one that
// is not made.
#include <array>
#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/target/target_state.h"

namespace einlass::http {
namespace {

constexpr const char* kTooManyHosts = "requests to too many hosts are under way";

}  // namespace

void Target::State::send(const Request& request) {
  let_next_turn_come();
  Request one = request;
  if (!request.members.empty()) {
    one.members = batches.begin(request.members);
    if (fitting(one.members) == 0) return not_made(one, core::Outcome::refused, "");
  }
  if (!gzip) return begin(one, {});
  if (waiting.empty() && compressed_now + one.body.size() <= kCompressedATurn) {
    compressed_now += one.body.size();
    return begin(one, gzip->compress(one.body));
  }
  waiting.emplace_back(one, std::chrono::steady_clock::now());
}

// Posted once for all that is sent in one turn of the loop, and again while some of it waits.
void Target::State::let_next_turn_come() {
  if (!gzip || std::exchange(turn_comes, true)) return;
  boost::asio::post(io, [this, still = std::weak_ptr(alive)] {
    if (!still.expired()) begin_waiting();
  });
}

// A body that is larger than what is left of a turn goes on in the next one. Of a target that was
// replaced the gate waits for nothing.
void Target::State::begin_waiting() {
  turn_comes = false;
  compressed_now = 0;
  while (!waiting.empty() && compressed_now < kCompressedATurn) {
    const KeptRequest& kept = waiting.front();
    const Request request = kept.request(std::chrono::steady_clock::now());
    if (gzip->done()) gzip->begin(request.body);
    compressed_now += gzip->go_on(kCompressedATurn - compressed_now);
    if (!gzip->done()) break;
    begin(request, gzip->made());
    waiting.pop_front();
  }
  if (!waiting.empty()) return let_next_turn_come();
  if (!retired) events.push_back(core::TargetReady{id});
}

void Target::State::begin(const Request& request, std::string_view compressed) {
  if (login && login->header().empty()) {  // It began before the gate heard of the hold.
    return not_made(request, core::Outcome::retry, login->trouble());
  }
  const auto now = std::chrono::steady_clock::now();
  Origin* const origin = origins.choose(request, now);
  if (origin == nullptr) return not_made(request, core::Outcome::retry, kTooManyHosts);
  if (const auto pause = origins.pause_of(*origin, request.failed_ago.has_value(), now)) {
    return not_made(request, core::Outcome::retry, pause->why, pause->wait);
  }
  origins.begins(*origin, request.record);
  Exchange exchange{request.record, request.attempt, login ? login->generation() : 0, now};
  exchange.members = request.members;
  if (request.failed_ago) {
    exchange.failed_before = now - std::chrono::microseconds(request.failed_ago->us);
  }
  origin->send(gzip || signer ? prepared(request, compressed) : request, exchange, now);
}

void Target::State::not_made(const Request& request, core::Outcome outcome, std::string_view why,
                             Duration wait) {
  turn_away({.record = request.record,
             .attempt = request.attempt,
             .outcome = outcome,
             .wait = wait,
             .reason = std::string(why)});
}

// Its views live until the next call. Signed is what is sent.
Request Target::State::prepared(const Request& request, std::string_view compressed) {
  Request prepared = request;
  headers.assign(request.headers.begin(), request.headers.end());
  if (!compressed.empty()) {
    headers.push_back({"Content-Encoding", "gzip"});
    prepared.body = compressed;
  }
  if (signer) add_signature(prepared);
  prepared.headers = headers;
  return prepared;
}

void Target::State::add_signature(const Request& request) {
  std::array<char, 24> digits;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto end = std::to_chars(digits.begin(), digits.end(), since_1970).ptr;
  sent_at.assign(digits.begin(), end);
  headers.push_back({"webhook-id", request.id});
  headers.push_back({"webhook-timestamp", sent_at});
  headers.push_back({"webhook-signature", signer->sign(request.id, sent_at, request.body)});
}

// Ends the attempt, for which no request is made, but not inside send().
void Target::State::turn_away(core::DeliveryEnded ended) {
  ended.asked = ended.sent = false;
  ended.counts = ended.outcome == core::Outcome::refused;
  turned_away.push_back(std::move(ended));
  if (turned_away.size() > 1) return;
  boost::asio::post(io, [this, still = std::weak_ptr(alive)] {
    if (!still.expired()) end_turned_away();
  });
}

void Target::State::end_turned_away() {
  for (core::DeliveryEnded& one : turned_away) tell_all(std::move(one), {}, 0);
  turned_away.clear();
  hold_without_login();
}

}  // namespace einlass::http
