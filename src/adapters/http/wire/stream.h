// A connected socket, plain or with TLS: nothing else knows the difference. Everything is
// non-blocking; waiting is the caller's, on socket().
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/wire/io_result.h"
#include "adapters/http/wire/tls_session.h"

namespace einlass::http {

// With the executor spelled out Asio needs no type erasure per operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

class Stream {
 public:
  explicit Stream(Socket socket) : socket_{std::move(socket)} {}

  Socket& socket() { return socket_; }

  // From here on everything goes through TLS; handshake() comes first.
  // REQUIRES: connected, nothing read or written yet; the session is on this socket.
  void start_tls(std::unique_ptr<TlsSession> session) { tls_ = std::move(session); }

  IoResult handshake();
  IoResult read(std::span<char> room);
  IoResult write(std::string_view bytes);

  // No more will be written: says so to the other side, which may go on.
  void end_writing();

  // Bytes wait inside that the socket's readiness will not tell of.
  bool buffered() const { return tls_ && tls_->buffered(); }

  // The server has chosen HTTP/2 in TLS. REQUIRES: handshake() is done.
  bool speaks_http2() const { return tls_ && tls_->speaks_http2(); }

  // Why the last call failed, in words.
  std::string reason() const;

  // As the session says; never without TLS.
  bool is_refused() const { return tls_ && tls_->is_refused(); }
  ShownCertificate shown_certificate() const {
    return tls_ ? tls_->shown_certificate() : ShownCertificate::not_asked_for;
  }

  void close();

 private:
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;
  int error_ = 0;  // errno of the last failure of the plain socket.
};

}  // namespace einlass::http
