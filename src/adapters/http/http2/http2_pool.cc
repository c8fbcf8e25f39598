#include "adapters/http/http2/http2_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "units/check.h"

namespace einlass::http {
namespace {

Http2Exchange& take_first(std::deque<Http2Exchange*>& waiting) {
  Http2Exchange& first = *waiting.front();
  waiting.pop_front();
  return first;
}

// Each record that the exchange is of.
template <class Visit>
void for_each_record(const Exchange& exchange, Visit visit) {
  if (exchange.members.empty()) return visit(exchange.record);
  for (const BatchMember& member : exchange.members) visit(member.record);
}

}  // namespace

Http2Pool::Http2Pool(boost::asio::io_context& io, const TargetOptions& options,
                     const ConnectionSettings& connections, Deadlines& deadlines,
                     Suspects& suspects, Http2PoolOwner& owner)
    : only_http2_{options.http2 == Http2::always},
      max_in_flight_{options.max_in_flight},
      connection_settings_{connections},
      deadlines_{deadlines},
      silence_{io, Duration{std::max<std::int64_t>(1, options.timeout.us / 2)}},
      idle_{io, kHttp2Idle},
      settings_{connections, connections.tls != nullptr ? "https" : "http", silence_, idle_},
      owner_{owner},
      suspects_{suspects} {}

// Their handlers may run after this, and find them closed.
Http2Pool::~Http2Pool() {
  for (const auto* list : {&connections_, &alone_}) {
    for (const auto& connection : *list) connection->close();
  }
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
  for_each_record(exchange, [&](core::RecordId one) {
    taken.exchange.alone = taken.exchange.alone || suspects_.has(one);
  });
  deadlines_.start(taken, now);
  (taken.exchange.alone ? waiting_alone_ : waiting_).push_back(&taken);
  dispatch();
}

// The first connection with room takes all it can, so that later ones grow old.
void Http2Pool::dispatch() {
  dispatch_alone();
  if (waiting_.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  for (const auto& connection : connections_) {
    while (!waiting_.empty() && connection->room() > 0)
      connection->begin(take_first(waiting_), now);
  }
  while (needs_another()) open_for(waiting_, opening_);
}

// Each has a connection of its own, so that the end of it is nobody else's.
void Http2Pool::dispatch_alone() {
  for (const auto& connection : alone_) connection->retire();
  while (!waiting_alone_.empty() && alone_.size() + opening_alone_.size() < kMostAlone) {
    open_for(waiting_alone_, opening_alone_);
  }
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

void Http2Pool::open_for(std::deque<Http2Exchange*>& waiting,
                         std::vector<const Connection*>& opening) {
  Http2Exchange& first = take_first(waiting);
  opening.push_back(&owner_.open(first));
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
  std::erase(opening_alone_, &connection);
  server_speaks_http1_ = !chosen;
  if (chosen) {
    take_over(connection);
    return false;
  }
  for (auto* waiting : {&waiting_, &waiting_alone_}) {
    while (!waiting->empty()) {
      Http2Exchange& first = take_first(*waiting);
      owner_.send_by_http1(first);
      release(first);
    }
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
  const auto connection =
      std::make_shared<Http2Connection>(settings_, from.give_stream(), address, *this);
  (first.exchange.alone ? alone_ : connections_).push_back(connection);
  owner_.handed_over(from);
  connection->start();
  connection->begin(first, std::chrono::steady_clock::now());
  dispatch();
}

// What waited for this connection waited in vain; unless there is another.
void Http2Pool::opening_failed(const Connection& connection, const Answer& answer) {
  if (std::erase(opening_alone_, &connection) > 0) return dispatch();
  if (std::erase(opening_, &connection) == 0) return;
  if (!connections_.empty() || !opening_.empty()) return dispatch();
  for (Http2Exchange* exchange : std::exchange(waiting_, {})) ended(*exchange, answer);
}

void Http2Pool::expired(Http2Exchange& exchange) {
  std::string trouble = "no answer";
  if (exchange.connection != nullptr) {
    exchange.connection->cancel(exchange);
  } else {
    const bool none = exchange.exchange.alone || connections_.empty();
    trouble = none ? "no connection" : "no free stream";
    std::erase(exchange.exchange.alone ? waiting_alone_ : waiting_, &exchange);
  }
  trouble += " within " + connection_settings_.timeout + " (" + connection_settings_.peer + ")";
  ended(exchange, {.status = 0, .retry_after = {}, .trouble = std::move(trouble)});
  dispatch();
}

void Http2Pool::ended(Http2Exchange& exchange, const Answer& answer) {
  const Exchange attempt = exchange.exchange;
  if (answer.status != 0 && !suspects_.none()) {
    for_each_record(attempt, [&](core::RecordId one) { suspects_.forget(one); });
    last_answer_ = std::chrono::steady_clock::now();
  }
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
  (exchange.exchange.alone ? waiting_alone_ : waiting_).push_front(&exchange);
}

// One that ends its connections while others are answered is not what the server is troubled by
// otherwise.
void Http2Pool::ended_with_connection(Http2Exchange& exchange, const Answer& answer) {
  const Exchange& attempt = exchange.exchange;
  Answer judged = answer;
  judged.is_suspect = !attempt.alone;
  judged.ends_connections = attempt.alone;
  // Of one that was alone too: some of its records may have had no part in what made it a suspect.
  for_each_record(attempt, [&](core::RecordId one) { suspects_.add(one); });
  if (attempt.alone) {
    judged.trouble += ", which had this request alone";
    // Which of several it is shows when they go in smaller requests.
    const bool of_one = attempt.members.size() < 2;
    const auto now = std::chrono::steady_clock::now();
    judged.is_unfit = of_one && suspects_.ends_its_own(attempt.record, last_answer_, now);
  }
  ended(exchange, judged);
}

void Http2Pool::room_changed(Http2Connection& connection) {
  if (connection.most_streams().value_or(0) > 0) most_streams_ = connection.most_streams();
  dispatch();
}

void Http2Pool::retire_others(const std::vector<Endpoint>& addresses) {
  for (const auto* list : {&connections_, &alone_}) {
    for (const auto& connection : *list) {
      const bool known =
          std::find(addresses.begin(), addresses.end(), connection->address) != addresses.end();
      if (!known) connection->retire();
    }
  }
}

void Http2Pool::closed(Http2Connection& connection) {
  for (auto* list : {&connections_, &alone_}) {
    std::erase_if(*list, [&](const auto& one) { return one.get() == &connection; });
  }
  owner_.http2_closed();
  dispatch();
}

}  // namespace einlass::http
