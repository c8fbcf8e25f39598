// A small HTTP/1.1 server: the admin pages, and the receiver of the demo.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/server/open_body.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::http {

// One request as it came. All views live until the handler returns.
struct ServerRequest {
  std::string_view method;  // HEAD comes as GET; only the body of its answer is not sent.
  std::string_view path;    // Without the query.
  std::string_view query;   // Without the question mark.
  std::span<const std::pair<std::string, std::string>> headers;  // Names in lower case.
  std::string_view body;

  // The first header of that (lower-case) name; empty if there is none.
  std::string_view header(std::string_view name) const;
};

struct ServerResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;  // REQUIRES: no CR, LF or NUL.
  std::string body;
  // The body is what is written here from the moment of the answer on, and ends with the
  // connection; `body` is not looked at.
  std::shared_ptr<OpenBody> open_body{};
};

// As PEM; read again when they change.
struct CertificateFiles {
  std::string cert_file;  // With the chain, if there is one.
  std::string key_file;   // Without a passphrase.
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one, see Server::port().
  std::size_t max_connections = 1024;
  std::size_t max_header_bytes = 16 * 1024;
  std::size_t max_body_bytes = 64 * 1024;
  Duration request_timeout =
      Duration::seconds(30);  // For one request to come, or its answer to go; for TLS to begin.
  std::optional<CertificateFiles> certificate{};  // None: no TLS.
  Notify notify{};
};

// Keeps connections open, answers pipelined requests in order, and refuses what it cannot take:
// 400 malformed, 408 too slow, 413 body too large, 431 headers too large, 503 too many connections.
// With all connections taken, a new one takes the place of the one that is waited for longest (for
// a request, or for an answer to be read): whoever only sits there keeps nobody out. 503 is for
// when all have answers under way. With TLS a client that does not get as far as a request is left
// without an answer. REQUIRES: used on the thread that runs `io`; outlived by `io`.
class Server {
 public:
  // Called for each request, on the loop's thread; must not block, nor destroy the server. If it
  // throws, the answer is 500.
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  // The same for answers that take a while: `respond` is called once, at once or later, on the
  // loop's thread. Until then nothing more is read from that connection. Whoever does not call it
  // keeps the connection open; there is no harm in calling it after the connection or the server is
  // gone.
  using Respond = std::function<void(ServerResponse)>;
  using LaterHandler = std::function<void(const ServerRequest&, Respond respond)>;

  // Listens at once. Throws std::runtime_error with the address and the reason if it cannot, or
  // with what is wrong with the certificate.
  // The host may be a name, or an address (IPv6 with or without brackets).
  Server(boost::asio::io_context& io, ServerOptions options, LaterHandler handler);
  Server(boost::asio::io_context& io, ServerOptions options, Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace einlass::http
