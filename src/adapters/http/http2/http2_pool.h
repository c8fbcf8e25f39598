// HTTP/2 with one target: which connection takes an exchange, and when there is to be another one.
//
// There is one connection, and more only where the server allows fewer streams at a time than are
// wanted. What finds no room waits for it, at most as long as its attempt may take.
//
// Where the server ends a connection and gives a reason (nginx does so over a head that is too
// large), or cuts one that has several requests, that may be over any of them. Each ends without an
// answer, which counts for nothing, and is sent next time on a connection of its own, which is
// closed after it: the one that is to blame ends that too, and nobody else's. A batch that has one
// of them in it goes alone too, and in halves once it has ended its own. How a connection comes
// about is the owner's: a Connection carries the first exchange until it stands, and then
// established() says what the server has chosen.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/http2/http2_connection.h"
#include "adapters/http/http2/http2_exchange.h"
#include "adapters/http/http2/suspects.h"

namespace einlass::http {

// Of one target. A server that allows few streams is not given more.
inline constexpr std::size_t kMostHttp2Connections = 64;

// Of one target, besides: those with one exchange at a time.
inline constexpr std::size_t kMostAlone = 32;

class Http2PoolOwner {
 public:
  // The exchange's attempt has ended.
  virtual void ended(const Exchange& exchange, const Answer& answer) = 0;

  // A new connection, which takes this exchange: its request, and the rest of its time.
  virtual Connection& open(Http2Exchange& exchange) = 0;

  // The pool has taken the connection's stream; what is left of it may be forgotten.
  virtual void handed_over(Connection& connection) = 0;

  // The server speaks HTTP/1.1 only: some connection is to take this exchange.
  virtual void send_by_http1(Http2Exchange& exchange) = 0;

  // One of the pool's connections is closed.
  virtual void http2_closed() = 0;

 protected:
  ~Http2PoolOwner() = default;
};

// REQUIRES: outlived by `io`, and by `connections`; used on the thread that runs `io`.
class Http2Pool final : public Http2ExchangeOwner, public Http2ConnectionOwner {
 public:
  // `deadlines` are those of the attempts, `suspects` those of the target. REQUIRES: they, and
  // `connections` and `owner`, outlive this.
  Http2Pool(boost::asio::io_context& io, const TargetOptions& options,
            const ConnectionSettings& connections, Deadlines& deadlines, Suspects& suspects,
            Http2PoolOwner& owner);
  ~Http2Pool();
  Http2Pool(const Http2Pool&) = delete;
  Http2Pool& operator=(const Http2Pool&) = delete;

  // The server has last chosen HTTP/1.1: exchanges are not for this pool. A connection that is made
  // later may turn out otherwise.
  bool server_speaks_http1() const { return server_speaks_http1_; }

  // Where the next request is to be rendered.
  RequestBytes& request() { return unused().request; }

  // Starts an exchange with what request() holds. Ends in the owner's ended(), never before this
  // call returns. REQUIRES: fewer than max_in_flight are open.
  void begin(const Exchange& exchange, SteadyTime now);

  // A connection stands, whoever opened it. True: it goes on with its exchange over HTTP/1.1.
  // False: it was taken over, or refused, and may be forgotten.
  bool established(Connection& connection);

  // A connection that open() made has failed with its exchange.
  void opening_failed(const Connection& connection, const Answer& answer);

  // Lets go of the connections that lead elsewhere than to these, each after its exchanges.
  void retire_others(const std::vector<Endpoint>& addresses);

  std::size_t in_flight() const { return exchanges_.size() - unused_.size(); }
  std::size_t connections() const { return connections_.size() + alone_.size(); }

 private:
  using ConnectionList = std::vector<std::shared_ptr<Http2Connection>>;
  static constexpr int kMostMoves = 2;

  Http2Exchange& unused();
  void dispatch();
  void dispatch_alone();
  bool needs_another() const;
  void open_for(std::deque<Http2Exchange*>& waiting, std::vector<const Connection*>& opening);
  void take_over(Connection& connection);
  void release(Http2Exchange& exchange);

  void expired(Http2Exchange& exchange) override;
  void ended(Http2Exchange& exchange, const Answer& answer) override;
  void untouched(Http2Exchange& exchange) override;
  void ended_with_connection(Http2Exchange& exchange, const Answer& answer) override;
  void room_changed(Http2Connection& connection) override;
  void closed(Http2Connection& connection) override;

  const bool only_http2_;
  const std::size_t max_in_flight_;
  const ConnectionSettings& connection_settings_;
  Deadlines& deadlines_;
  Deadlines silence_;
  Deadlines idle_;
  Http2Settings settings_;
  Http2PoolOwner& owner_;
  bool server_speaks_http1_ = false;
  std::optional<std::size_t> most_streams_;  // That the server last allowed on a connection.
  std::vector<std::unique_ptr<Http2Exchange>> exchanges_;  // At most max_in_flight.
  std::vector<Http2Exchange*> unused_;
  std::deque<Http2Exchange*> waiting_;
  std::vector<const Connection*> opening_;
  ConnectionList connections_;
  // The same for exchanges that are to be alone.
  std::deque<Http2Exchange*> waiting_alone_;
  std::vector<const Connection*> opening_alone_;
  ConnectionList alone_;
  Suspects& suspects_;
  SteadyTime last_answer_{};  // While there are suspects.
};

}  // namespace einlass::http
