// The certificate that a server shows to its clients, as it now stands on disk.
#pragma once

#include <memory>
#include <string>

#include "adapters/http/server/server.h"
#include "adapters/http/wire/tls_session.h"
#include "net/tls.h"
#include "net/watched_file.h"
#include "units/notice.h"

namespace einlass::http {

// REQUIRES: used by one thread.
class ServerCertificate {
 public:
  // Throws std::runtime_error if a file cannot be read, or the two do not fit. Says
  // "server_certificate_failing" and "server_certificate_ok" to `notify` when that changes later.
  ServerCertificate(CertificateFiles files, Notify notify);

  // The server's side of a connection. Files that have changed are read again before: what cannot
  // be used changes nothing.
  // REQUIRES: `socket` is connected and outlives the session.
  std::unique_ptr<TlsSession> open(int socket);

 private:
  net::SslContext made() const;
  void look();

  const CertificateFiles files_;
  const Notify notify_;
  net::WatchedFile cert_, key_;
  net::SslContext context_;
  bool failing_ = false;  // As was told.
};

}  // namespace einlass::http
