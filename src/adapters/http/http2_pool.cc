#include "adapters/http/http2_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "units/check.h"

namespace einlass::http {

Http2Pool::Http2Pool(boost::asio::io_context& io, const TargetOptions& options,
                     const ConnectionSettings& connections, Deadlines& deadlines,
                     Http2PoolOwner& owner)
    : only_http2_{options.http2 == Http2::always},
      max_in_flight_{options.max_in_flight},
      connection_settings_{connections},
      deadlines_{deadlines},
      silence_{io, Duration{std::max<std::int64_t>(1, options.timeout.us / 2)}},
      idle_{io, kHttp2Idle},
      settings_{connections, connections.tls != nullptr ? "https" : "http", silence_, idle_},
      owner_{owner} {}

// Their handlers may run after this, and find them closed.
Http2Pool::~Http2Pool() {
  for (const auto& connection : connections_) connection->close();
}

// One that no attempt has, and that stays so until it is taken off unused_.
Http2Exchange& Http2Pool::unused() {
  if (unused_.empty()) {
    CHECK(exchanges_.size() < max_in_flight_);
    exchanges_.push_back(std::make_unique<Http2Exchange>(*this));
    unused_.push_back(exchanges_.back().get());
  }
  return *unused_.back();
}

void Http2Pool::begin(const Exchange& exchange, SteadyTime now) {
  Http2Exchange& taken = unused();
  unused_.pop_back();
  taken.exchange = exchange;
  deadlines_.start(taken, now);
  waiting_.push_back(&taken);
  dispatch();
}

Http2Exchange& Http2Pool::take_waiting() {
  Http2Exchange& first = *waiting_.front();
  waiting_.pop_front();
  return first;
}

// The first connection with room takes all it can, so that later ones grow old.
void Http2Pool::dispatch() {
  if (waiting_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  for (const auto& connection : connections_) {
    while (!waiting_.empty() && connection->room() > 0) connection->begin(take_waiting(), now);
  }
  while (needs_another()) open_another();
}

bool Http2Pool::needs_another() const {
  std::size_t open = opening_.size();
  std::size_t coming = opening_.size();  // Those that will have room for more than one soon.
  for (const auto& connection : connections_) {
    if (!connection->is_open()) continue;
    ++open;
    if (!connection->most_streams()) ++coming;
    if (connection->most_streams() == 0u) return false;  // The server wants to be left alone.
  }
  if (waiting_.empty() || open >= kMostHttp2Connections) return false;
  if (coming > 0 && !most_streams_) return false;
  return waiting_.size() > coming * most_streams_.value_or(0);
}

void Http2Pool::open_another() {
  Http2Exchange& first = take_waiting();
  opening_.push_back(&owner_.open(first));
  release(first);
}

void Http2Pool::release(Http2Exchange& exchange) {
  exchange.stop_watch();
  exchange.request.done();
  exchange.connection = nullptr;
  unused_.push_back(&exchange);
}

bool Http2Pool::established(Connection& connection) {
  const bool chosen = connection.speaks_http2();
  if (!chosen && only_http2_) {
    connection.refuse("the server does not choose HTTP/2, and http2 is always");
    return false;
  }
  std::erase(opening_, &connection);
  server_speaks_http1_ = !chosen;
  if (chosen) {
    take_over(connection);
    return false;
  }
  while (!waiting_.empty()) {
    Http2Exchange& first = take_waiting();
    owner_.send_by_http1(first);
    release(first);
  }
  return true;
}

void Http2Pool::take_over(Connection& from) {
  Http2Exchange& first = unused();
  unused_.pop_back();
  first.exchange = from.exchange();
  std::swap(first.request, from.request());
  deadlines_.hand_over(from, first);
  const Endpoint address = from.address();
  connections_.push_back(
      std::make_shared<Http2Connection>(settings_, from.give_stream(), address, *this));
  owner_.handed_over(from);
  connections_.back()->start();
  connections_.back()->begin(first, std::chrono::steady_clock::now());
  dispatch();
}

// What waited for this connection waited in vain; unless there is another.
void Http2Pool::opening_failed(const Connection& connection, const Answer& answer) {
  if (std::erase(opening_, &connection) == 0) return;
  if (!connections_.empty() || !opening_.empty()) return dispatch();
  for (Http2Exchange* exchange : std::exchange(waiting_, {})) ended(*exchange, answer);
}

void Http2Pool::expired(Http2Exchange& exchange) {
  std::string trouble = "no answer";
  if (exchange.connection != nullptr) {
    exchange.connection->cancel(exchange);
  } else {
    trouble = connections_.empty() ? "no connection" : "no free stream";
    std::erase(waiting_, &exchange);
  }
  trouble += " within " + connection_settings_.timeout + " (" + connection_settings_.peer + ")";
  ended(exchange, {.status = 0, .retry_after = {}, .trouble = std::move(trouble)});
  dispatch();
}

void Http2Pool::ended(Http2Exchange& exchange, const Answer& answer) {
  const Exchange attempt = exchange.exchange;
  release(exchange);
  owner_.ended(attempt, answer);
}

// What the session took of the request is to be sent again, whatever the next connection speaks.
void Http2Pool::untouched(Http2Exchange& exchange) {
  if (++exchange.exchange.moves > kMostMoves) {
    return ended(exchange, {.status = 0, .retry_after = {}, .trouble = exchange.trouble});
  }
  exchange.connection = nullptr;
  exchange.request.start_over();
  waiting_.push_front(&exchange);
}

void Http2Pool::room_changed(Http2Connection& connection) {
  if (connection.most_streams().value_or(0) > 0) most_streams_ = connection.most_streams();
  dispatch();
}

void Http2Pool::retire_others(const std::vector<Endpoint>& addresses) {
  for (const auto& connection : connections_) {
    const bool known =
        std::find(addresses.begin(), addresses.end(), connection->address) != addresses.end();
    if (!known) connection->retire();
  }
}

void Http2Pool::closed(Http2Connection& connection) {
  std::erase_if(connections_, [&](const auto& one) { return one.get() == &connection; });
  dispatch();
}

}  // namespace einlass::http
