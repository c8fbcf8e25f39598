// One side of one TLS connection, on a socket that belongs to somebody else.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/wire/io_result.h"
#include "adapters/http/wire/shown_certificate.h"

namespace einlass::http {

// Where a session's bytes come from, and how many more one call may take: records that carry
// nothing for us (KeyUpdate, refused renegotiations) are read on and on inside OpenSSL, and a peer
// that sends nothing else would keep the loop in one call.
struct TlsSocket {
  int descriptor = -1;
  std::size_t may_read = 0;
  unsigned messages = 0;  // Of the handshake and after it, and alerts: all but data, both ways.
};

// REQUIRES: the socket outlives it.
class TlsSession {
 public:
  // After so many that are no data it fails. A peer that renews its keys every few hours needs
  // months for them; one that does nothing else would take 10 us of the loop for each 27 bytes.
  static constexpr unsigned kMostMessages = 1000;

  // Each moves on as far as the socket allows without waiting.
  IoResult handshake();
  IoResult read(std::span<char> room);
  IoResult write(std::string_view bytes);

  // Tells the other side that no more will be written, if the socket has room for that.
  void say_goodbye();

  // Bytes were taken from the socket that read() has not handed out: readiness of the socket will
  // not tell of them.
  bool buffered() const { return SSL_has_pending(ssl_.get()) == 1; }

  // The server has chosen HTTP/2 (ALPN). REQUIRES: handshake() is done.
  bool speaks_http2() const;

  // Why the last call failed, in words.
  std::string reason() const;

  // The last call failed because one side does not take the other, and not for want of a network.
  bool is_refused() const;

  // What the server got where it asked for a certificate of ours.
  ShownCertificate shown_certificate() const { return shown_certificate_; }

 private:
  friend class TlsContext;
  friend class ServerCertificate;
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  TlsSession(SSL_CTX* context, int socket);
  IoResult result(int returned, std::size_t bytes);
  bool says_nothing() const { return socket_->messages > kMostMessages; }

  std::unique_ptr<TlsSocket> socket_;  // Outlives ssl_, which reads and writes there.
  std::unique_ptr<SSL, Free> ssl_;
  unsigned long error_ = 0;
  ShownCertificate shown_certificate_ = ShownCertificate::not_asked_for;
};

}  // namespace einlass::http
