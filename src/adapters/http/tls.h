// TLS for the client side, on a socket that belongs to somebody else. Certificates and names are
// always verified, and nothing below TLS 1.2 is spoken.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/io_result.h"

namespace einlass::http {

// One side of one TLS connection.
// REQUIRES: the socket outlives it.
class TlsSession {
 public:
  // Each moves on as far as the socket allows without waiting.
  IoResult handshake();
  IoResult read(std::span<char> room);
  IoResult write(std::string_view bytes);

  // Bytes were taken from the socket that read() has not handed out: readiness of the socket will
  // not tell of them.
  bool buffered() const { return SSL_has_pending(ssl_.get()) == 1; }

  // Why the last call failed, in words.
  std::string reason() const;

 private:
  friend class TlsContext;
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  explicit TlsSession(SSL* ssl) : ssl_{ssl} {}
  IoResult result(int returned, std::size_t bytes);

  std::unique_ptr<SSL, Free> ssl_;
  unsigned long error_ = 0;
};

// What all connections to one target share: whom to trust, and which name to expect.
class TlsContext {
 public:
  // An empty ca_file means the system's authorities. Throws std::runtime_error if the file cannot
  // be read or holds no certificate.
  TlsContext(const std::string& ca_file, std::string server_name);

  // REQUIRES: `socket` is connected and outlives the session.
  std::unique_ptr<TlsSession> open(int socket) const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  std::unique_ptr<SSL_CTX, Free> context_;
  std::string server_name_;
};

}  // namespace einlass::http
