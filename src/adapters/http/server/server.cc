// Accepts connections and owns their sessions.
#include "adapters/http/server/server.h"

#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <stdexcept>

#include "adapters/http/server/response_writer.h"
#include "adapters/http/server/server_certificate.h"
#include "adapters/http/server/server_session.h"
#include "adapters/http/wire/words.h"
#include "text/ascii.h"

namespace einlass::http {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;
using Acceptor =
    boost::asio::basic_socket_acceptor<ip::tcp, boost::asio::io_context::executor_type>;

// How long a client may still talk after its last answer.
constexpr Duration kClosingTime = Duration::seconds(2);
// Out of sockets or memory, accepting again at once would only burn the processor.
constexpr Duration kAcceptPause = Duration::millis(100);

ip::tcp::endpoint find_address(boost::asio::io_context& io, const ServerOptions& options) {
  const std::string host(without_brackets(options.host));
  error_code error;
  const ip::address address = ip::make_address(host, error);
  if (!error) return {address, options.port};
  const auto found = ip::tcp::resolver(io).resolve(host, std::to_string(options.port));
  return *found.begin();
}

}  // namespace

struct Server::State final : std::enable_shared_from_this<Server::State>, SessionOwner, Timed {
  State(boost::asio::io_context& io, ServerOptions wanted, LaterHandler answers)
      : settings{std::move(wanted)},
        handler{std::move(answers)},
        acceptor{io.get_executor()},
        requests{io, settings.request_timeout},
        closings{io, kClosingTime},
        pauses{io, kAcceptPause} {
    if (settings.certificate) certificate.emplace(*settings.certificate, settings.notify);
  }

  void listen(const ip::tcp::endpoint& address);
  void accept();
  void accepted(Socket socket);
  void close();

  const ServerOptions& options() const override { return settings; }
  void answer(const ServerRequest& request, Respond respond) override;
  bool is_full() const override { return sessions.size() >= settings.max_connections; }
  Deadlines& request_deadlines() override { return requests; }
  Deadlines& closing_deadlines() override { return closings; }
  std::unique_ptr<TlsSession> open_tls(int socket) override;
  void session_ended(ServerSession& session) override;
  void expired() override { accept(); }  // The pause is over.

  ServerOptions settings;
  LaterHandler handler;
  std::optional<ServerCertificate> certificate;
  Acceptor acceptor;
  Deadlines requests;
  Deadlines closings;
  Deadlines pauses;
  std::vector<std::shared_ptr<ServerSession>> sessions;  // At most max_connections.
};

void Server::State::listen(const ip::tcp::endpoint& address) {
  acceptor.open(address.protocol());
  acceptor.set_option(Acceptor::reuse_address(true));
  acceptor.bind(address);
  acceptor.listen();
  accept();
}

void Server::State::accept() {
  acceptor.async_accept([weak = weak_from_this()](error_code error, Socket socket) {
    const auto self = weak.lock();
    if (!self || error == boost::asio::error::operation_aborted) return;
    if (error && error != boost::asio::error::connection_aborted) {
      self->pauses.start(*self);
      return;
    }
    if (!error) self->accepted(std::move(socket));
    self->accept();
  });
}

void Server::State::accepted(Socket socket) {
  if (is_full()) closings.expire_first();
  if (is_full()) requests.expire_first();
  if (is_full()) {
    if (certificate) return;  // There is nothing that can be said before the handshake.
    std::string refusal;
    write_response(plain_response(503), false, "close", refusal);
    ::send(socket.native_handle(), refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  sessions.push_back(std::make_shared<ServerSession>(std::move(socket), *this));
  sessions.back()->index = sessions.size() - 1;
  sessions.back()->start();
}

void Server::State::close() {
  error_code ignored;
  acceptor.close(ignored);
  for (const auto& session : sessions) session->close();
  sessions.clear();
}

void Server::State::answer(const ServerRequest& request, Respond respond) {
  try {
    handler(request, respond);
  } catch (const std::exception&) {
    respond(plain_response(500));
  }
}

std::unique_ptr<TlsSession> Server::State::open_tls(int socket) {
  return certificate ? certificate->open(socket) : nullptr;
}

void Server::State::session_ended(ServerSession& session) {
  const std::size_t index = session.index;
  sessions.back()->index = index;
  std::swap(sessions[index], sessions.back());
  sessions.pop_back();
}

Server::Server(boost::asio::io_context& io, ServerOptions options, Handler handler)
    : Server(io, std::move(options),
             LaterHandler([handler = std::move(handler)](const ServerRequest& request,
                                                         const Respond& respond) {
               respond(handler(request));
             })) {}

Server::Server(boost::asio::io_context& io, ServerOptions options, LaterHandler handler) {
  const std::string where = host_and_port(options.host, options.port);
  try {
    const ip::tcp::endpoint address = find_address(io, options);
    state_ = std::make_shared<State>(io, std::move(options), std::move(handler));
    state_->listen(address);
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("cannot listen on " + where + ": " + in_words(error.code()));
  }
}

Server::~Server() { state_->close(); }

std::uint16_t Server::port() const {
  error_code ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

}  // namespace einlass::http
