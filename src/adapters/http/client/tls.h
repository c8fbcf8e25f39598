// TLS for the client side. Certificates and names are verified unless told otherwise.
#pragma once

#include <memory>
#include <string>

#include "adapters/http/client/target_options.h"
#include "adapters/http/wire/tls_session.h"
#include "net/tls.h"
#include "net/watched_file.h"

namespace einlass::http {

// What all connections of one target share: whom to trust, and who we are.
class TlsContext {
 public:
  // HTTP/1.1 is offered, and HTTP/2 before it if it may be chosen.
  // Throws std::runtime_error if a file cannot be read or does not fit.
  explicit TlsContext(const TlsOptions& options, bool offer_http2 = false);

  // `server_name` is what the server's certificate has to name.
  // REQUIRES: `socket` is connected and outlives the session; this outlives its handshake.
  std::unique_ptr<TlsSession> open(int socket, const std::string& server_name) const;

  // Reads the files again if they have changed: sessions that are opened from then on have what
  // they now hold. What cannot be used changes nothing.
  void look();

  // Why what the files now hold is not used; empty if it is.
  const std::string& trouble() const { return trouble_; }

 private:
  struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
  };

  net::SslContext made() const;

  TlsOptions options_;
  net::WatchedFile ca_, cert_, key_;
  std::unique_ptr<X509, FreeCertificate> only_;  // As it was at the start.
  bool offer_http2_;
  net::SslContext context_;
  std::string trouble_;
};

}  // namespace einlass::http
