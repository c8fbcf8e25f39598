// TLS for the client side, on a socket that belongs to somebody else. Certificates and names are
// verified unless told otherwise, and nothing below TLS 1.2 is spoken.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/answer.h"
#include "adapters/http/io_result.h"
#include "adapters/http/secret.h"

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
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  explicit TlsSession(SSL* ssl) : ssl_{ssl} {}
  IoResult result(int returned, std::size_t bytes);

  std::unique_ptr<SSL, Free> ssl_;
  unsigned long error_ = 0;
  ShownCertificate shown_certificate_ = ShownCertificate::not_asked_for;
};

// What all connections of one target share: whom to trust, and who we are.
class TlsContext {
 public:
  // HTTP/1.1 is offered, and HTTP/2 before it if it may be chosen.
  // Throws std::runtime_error if a file cannot be read or does not fit.
  explicit TlsContext(const TlsOptions& options, bool offer_http2 = false);

  // `server_name` is what the server's certificate has to name.
  // REQUIRES: `socket` is connected and outlives the session.
  std::unique_ptr<TlsSession> open(int socket, const std::string& server_name) const;

  // Reads the files again if they have changed: sessions that are opened from then on have what
  // they now hold. What cannot be used changes nothing.
  void look();

  // Why what the files now hold is not used; empty if it is.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using Context = std::unique_ptr<SSL_CTX, Free>;

  Context made() const;

  TlsOptions options_;
  WatchedFile ca_, cert_, key_;
  bool offer_http2_;
  Context context_;
  std::string trouble_;
};

}  // namespace einlass::http
