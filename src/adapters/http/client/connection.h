// One connection to a target, from the first attempt to connect until it is closed: one exchange
// at a time, and between two of them it idles.
//
//   resolving -> connecting -> tunneling -> handshaking -> sending -> receiving -> idle -> sending
//   ...
//
// From everywhere it can become closed, and that is the end of it. A wait for readability is
// always open from tunneling on; it brings the answer, and tells when a server hangs up on an
// idle connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/http/client/answer.h"
#include "adapters/http/client/request.h"
#include "adapters/http/client/request_writer.h"
#include "adapters/http/client/response_parser.h"
#include "adapters/http/client/tls.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/wire/deadlines.h"
#include "adapters/http/wire/receive_buffer.h"
#include "adapters/http/wire/stream.h"
#include "core/contract/ids.h"

namespace einlass::http {

class Connection;

// Which attempt an exchange is.
struct Exchange {
  core::RecordId record;
  core::Attempt attempt;
  std::uint32_t login = 0;  // Which generation of it the request has.
  SteadyTime began{};
  std::optional<SteadyTime> failed_before{};  // When its record failed the last time.
  int moves = 0;  // How often it was given to another connection, for the server had not taken it.
  // Of a request with several records; they live as long as the exchange.
  std::span<const BatchMember> members{};
  bool alone = false;  // It goes on a connection of its own: it may be why another one ended.
};

// Whom a connection works for.
class ConnectionOwner {
 public:
  // The exchange has ended. The connection is idle now, or closed and may be forgotten.
  virtual void exchange_ended(Connection& connection, const Answer& answer) = 0;

  // The server hung up on the idle connection: it is closed and may be forgotten.
  virtual void idle_closed(Connection& connection) = 0;

  // The connection stands, and its exchange is about to be sent. False: it was taken over, or
  // refused, and may be forgotten. REQUIRES: true where the settings do not allow HTTP/2.
  virtual bool established(Connection& connection) = 0;

  // This address could not be connected to, or was silent in the TLS handshake.
  virtual void connect_failed(const Endpoint& address) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// What all connections to one target share. Outlives them while they are not closed.
struct ConnectionSettings {
  std::string peer;                 // "host:port".
  std::string timeout;              // In words.
  const TlsContext* tls = nullptr;  // Null: plain.
  std::string server_name{};        // What a certificate has to name.
  KeptBody kept_body{};
  bool http2 = false;    // It is offered in TLS, and meant where there is none.
  std::string proxy{};   // "host:port" of the proxy; empty: none.
  std::string tunnel{};  // What it is asked; empty: nothing.
};

class Connection final : public std::enable_shared_from_this<Connection>, public Timed {
 public:
  Connection(boost::asio::io_context& io, const ConnectionSettings& settings,
             ConnectionOwner& owner)
      : settings_{settings}, owner_{owner}, stream_{Socket(io.get_executor())} {}

  // Where the next request is to be rendered. REQUIRES: no exchange is open.
  RequestBytes& request() { return request_; }

  // Opens an exchange with what request() holds: sent at once if the connection is idle, else as
  // soon as it stands. Ends in exchange_ended(), never before this call returns.
  void begin(Exchange exchange, SteadyTime now);

  // The addresses to try, in this order, 16 at most. REQUIRES: is_resolving().
  void connect(const std::vector<Endpoint>& addresses);

  // No addresses could be found, or only such as are refused. REQUIRES: is_resolving().
  void unresolvable(const std::string& trouble, bool are_refused);

  // It is not used again after the exchange that is open. REQUIRES: !is_idle().
  void retire() { reusable_ = false; }

  // Whether HTTP/2 is to be spoken. REQUIRES: established.
  bool speaks_http2() const {
    return settings_.http2 && (settings_.tls == nullptr || stream_.speaks_http2());
  }

  // Hands over the stream, and closes what is left. REQUIRES: called from established().
  Stream give_stream();

  // Ends the exchange for this reason, which somebody has to repair. For the owner: called from
  // established().
  void refuse(const std::string& trouble);

  // Ends everything; the owner hears nothing more.
  void close();

  void expired() override;

  bool is_resolving() const { return phase_ == Phase::resolving; }
  bool is_idle() const { return phase_ == Phase::idle; }
  SteadyTime last_used() const { return last_used_; }  // When its last exchange began, or ended.
  const Exchange& exchange() const { return exchange_; }

  // Where it leads, or is about to. REQUIRES: !is_resolving().
  const Endpoint& address() const { return addresses_[next_address_]; }

  // In the owner's list; the owner's alone.
  std::size_t index = 0;

 private:
  enum class Phase : std::uint8_t {
    resolving,
    connecting,
    tunneling,
    handshaking,
    idle,
    sending,
    receiving,
    closed
  };
  static constexpr int kReadsPerTurn = 16;  // Then others have their turn.
  // Of a host that has more the next connection tries the others: those that have failed come last.
  static constexpr std::size_t kMostAddresses = 16;

  void connect_next();
  void connected(boost::system::error_code error);
  void open_tunnel();
  void tunnel_answered();
  void secure();
  void handshake();
  void send();
  void send_failed();
  void receive();
  void receive_on();
  void receive_end();
  bool is_quiet();
  void ended(bool with_connection = false);
  void fail(std::string trouble);
  void fail_stream();
  std::string hop_in_words() const;
  void tell(const Answer& answer);

  void wait_read();
  void wait_write();
  void readable();

  const ConnectionSettings& settings_;
  ConnectionOwner& owner_;
  Phase phase_ = Phase::resolving;
  bool reusable_ = true;
  bool waits_write_ = false;
  bool receives_on_ = false;  // In the next turn, whatever the socket says.
  Stream stream_;
  RequestBytes request_;
  ReceiveBuffer received_{kAnswerBuffer};
  ResponseParser response_;
  Exchange exchange_;
  SteadyTime last_used_{};
  std::vector<Endpoint> addresses_;
  std::size_t next_address_ = 0;
  std::size_t tunnel_sent_ = 0;
};

}  // namespace einlass::http
