#include "adapters/http/server/server_certificate.h"

#include <stdexcept>
#include <utility>

namespace einlass::http {

ServerCertificate::ServerCertificate(CertificateFiles files, Notify notify)
    : files_{std::move(files)},
      notify_{std::move(notify)},
      cert_{files_.cert_file},
      key_{files_.key_file},
      context_{made()} {}

// Without sessions that could be taken up again: they would outlive the certificate, and with them
// the keys of connections long past.
net::SslContext ServerCertificate::made() const {
  net::SslContext made = net::new_ssl_context(TLS_server_method());
  SSL_CTX_set_options(made.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(made.get(), 0);
  SSL_CTX_set_session_cache_mode(made.get(), SSL_SESS_CACHE_OFF);
  net::show_certificate(made.get(), files_.cert_file, files_.key_file);
  return made;
}

std::unique_ptr<TlsSession> ServerCertificate::open(int socket) {
  look();
  std::unique_ptr<TlsSession> session(new TlsSession(context_.get(), socket));
  SSL_set_accept_state(session->ssl_.get());
  return session;
}

// Of a pair that is replaced one file after the other, the first alone does not fit; with the
// second it does.
void ServerCertificate::look() {
  const bool cert = cert_.changed();
  const bool key = key_.changed();
  if (!cert && !key) return;
  try {
    context_ = made();
    if (std::exchange(failing_, false) && notify_) {
      notify_({Severity::info, "server_certificate_ok", files_.cert_file + " is used again"});
    }
  } catch (const std::runtime_error& error) {
    failing_ = true;
    if (!notify_) return;
    notify_({Severity::warning, "server_certificate_failing",
             std::string(error.what()) + "; the old one stays in use"});
  }
}

}  // namespace einlass::http
