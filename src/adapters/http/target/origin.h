// One server that a target delivers to (a scheme, a host and a port): the connections to it, and
// which of them takes a request.
//
// HTTP/1.1 keeps at most max_in_flight connections, each with one request at a time; HTTP/2 one
// connection, if the server allows as much. What an answer means is the owner's to say.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/http2/http2_pool.h"
#include "adapters/http/http2/suspects.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/wire/deadlines.h"
#include "units/notice.h"

namespace einlass::http {

class Origin;

class OriginOwner {
 public:
  // The exchange has ended with this answer, or without one.
  virtual void ended(Origin& origin, const Exchange& exchange, const Answer& answer) = 0;

 protected:
  ~OriginOwner() = default;
};

// REQUIRES: used on the thread that runs `io`; outlived by it and by `owner`.
class Origin final : public ConnectionOwner, public Http2PoolOwner {
 public:
  // `tls` is null where there is none, and outlives this, as `suspects` does, which are those of
  // the target. Tells `notify` of each connection, at debug. Throws std::runtime_error if the
  // options cannot be put into a request.
  Origin(boost::asio::io_context& io, const TargetOptions& options, const TlsContext* tls,
         KeptBody kept_body, Suspects& suspects, OriginOwner& owner, const Notify& notify);
  ~Origin();
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  // As RequestWriter has it.
  void set_authorization(std::string_view value) { writer_.set_authorization(value); }

  // Goes on from another, with where its host is if that is the same. REQUIRES: before send().
  void take_over(const Origin& before) { addresses_.take_over(before.addresses_); }

  // Starts an exchange. Ends in the owner's ended(), exactly once, and never before this call
  // returns. REQUIRES: fewer than max_in_flight are open.
  void send(const Request& request, const Exchange& exchange, SteadyTime now);

  // To be called every now and then: asks where the host is by now. Connections to where it is no
  // more are let go, each after its exchange; those that nobody has used for a minute are closed.
  void look(SteadyTime now);

  // Closes what is idle, and says how many that were.
  std::size_t close_idle();

  // "host:port".
  const std::string& peer() const { return settings_.peer; }

  SteadyTime last_used() const { return last_used_; }  // When an exchange last began, or ended.
  std::size_t in_flight() const;
  std::size_t connections() const;

 private:
  // Something between us and the server may have forgotten a connection that was idle for longer,
  // and then nobody would answer.
  static constexpr std::chrono::seconds kIdleLimit{60};

  Connection& idle_or_new(SteadyTime now);
  Connection& new_connection();
  void connect(Connection& connection, SteadyTime now);
  void move_to(Connection& connection, Http2Exchange& exchange);
  void forget(Connection& connection);
  void close(Connection& connection, std::string_view why);
  void tell(const char* what, const char* became, std::string_view how) const;
  void resolved(const std::string& trouble);
  void close_unused(SteadyTime now);
  void retire_others();

  void ended(const Exchange& exchange, const Answer& answer) override;
  Connection& open(Http2Exchange& exchange) override;
  void send_by_http1(Http2Exchange& exchange) override;
  void handed_over(Connection& connection) override { forget(connection); }
  bool established(Connection& connection) override;
  void exchange_ended(Connection& connection, const Answer& answer) override;
  void idle_closed(Connection& connection) override;
  void connect_failed(const Endpoint& address) override { addresses_.failed(address); }
  void http2_closed() override { tell("connection_closed", "was closed", "HTTP/2"); }

  boost::asio::io_context& io_;
  OriginOwner& owner_;
  const Notify& notify_;
  const std::string target_;
  const std::size_t max_in_flight_;
  RequestWriter writer_;
  ConnectionSettings settings_;
  Addresses addresses_;
  Deadlines deadlines_;
  std::vector<std::shared_ptr<Connection>> connections_;  // At most max_in_flight.
  std::vector<Connection*> idle_;                         // The last was used most recently.
  std::optional<Http2Pool> http2_;                        // None: it is not spoken here.
  SteadyTime last_used_{};
};

}  // namespace einlass::http
