#include "adapters/http/client/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <stdexcept>

namespace einlass::http {
namespace {

X509* read_certificate(const std::string& file) {
  if (file.empty()) return nullptr;
  BIO* const bio = BIO_new_file(file.c_str(), "r");
  X509* const read = bio != nullptr ? PEM_read_bio_X509(bio, nullptr, nullptr, nullptr) : nullptr;
  BIO_free(bio);
  ERR_clear_error();
  if (read == nullptr) throw std::runtime_error("no certificate can be read from " + file);
  return read;
}

// Instead of what OpenSSL would check.
int is_expected(X509_STORE_CTX* shown, void* expected) {
  const X509* const wanted = static_cast<const X509*>(expected);
  const bool same = X509_cmp(X509_STORE_CTX_get0_cert(shown), wanted) == 0;
  X509_STORE_CTX_set_error(shown, same ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
  return same ? 1 : 0;
}

void believe(SSL_CTX* context, const TlsOptions& options, X509* only) {
  SSL_CTX_set_verify(context, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (only != nullptr) return SSL_CTX_set_cert_verify_callback(context, is_expected, only);
  net::trust(context, options.ca_file);
}

// As ALPN writes them (RFC 7301): each with its length in front, the favourite first.
void offer_protocols(SSL_CTX* context, bool http2) {
  static constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
  constexpr unsigned kHttp2Size = 3;
  const unsigned skipped = http2 ? 0 : kHttp2Size;
  SSL_CTX_set_alpn_protos(context, kProtocols + skipped,
                          static_cast<unsigned>(sizeof(kProtocols)) - 1 - skipped);
}

// Called in the handshake where the server asks for a certificate of ours.
int note_certificate(SSL* ssl, void* shown) {
  const X509* const own = SSL_get_certificate(ssl);
  auto& noted = *static_cast<ShownCertificate*>(shown);
  if (own == nullptr) {
    noted = ShownCertificate::none;
  } else {
    const bool expired = X509_cmp_current_time(X509_get0_notAfter(own)) < 0;
    noted = expired ? ShownCertificate::expired : ShownCertificate::valid;
  }
  return 1;
}

}  // namespace

TlsContext::TlsContext(const TlsOptions& options, bool offer_http2)
    : options_{options},
      ca_{options.ca_file},
      cert_{options.cert_file},
      key_{options.key_file},
      only_{read_certificate(options.only_cert_file)},
      offer_http2_{offer_http2},
      context_{made()} {}

net::SslContext TlsContext::made() const {
  net::SslContext made = net::new_ssl_context(TLS_client_method());
  SSL_CTX* const context = made.get();
  offer_protocols(context, offer_http2_);
  believe(context, options_, only_.get());
  if (!options_.cert_file.empty()) {
    net::show_certificate(context, options_.cert_file, options_.key_file);
  }
  return made;
}

void TlsContext::look() {
  const bool ca = ca_.changed();
  const bool cert = cert_.changed();
  const bool key = key_.changed();
  if (!ca && !cert && !key) return;
  try {
    context_ = made();
    trouble_.clear();
  } catch (const std::runtime_error& error) {
    trouble_ = std::string(error.what()) + "; the old one stays in use";
  }
}

std::unique_ptr<TlsSession> TlsContext::open(int socket, const std::string& server_name) const {
  std::unique_ptr<TlsSession> session(new TlsSession(context_.get(), socket));
  SSL* const ssl = session->ssl_.get();
  SSL_set_connect_state(ssl);
  net::expect_name(ssl, server_name);
  SSL_set_cert_cb(ssl, note_certificate, &session->shown_certificate_);
  return session;
}

}  // namespace einlass::http
