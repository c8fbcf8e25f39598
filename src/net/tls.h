// What each side of TLS has in common, whoever it talks to: nothing below TLS 1.2 is spoken,
// nothing is negotiated anew, and a name is checked in one way. By OpenSSL.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace einlass::net {

struct TlsFiles {
  std::string ca;           // Whom to trust. Empty: the system's authorities.
  std::string certificate;  // What we show, with its chain, and the key to it; both empty: nothing.
  std::string key;
};

struct FreeSslContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSslContext>;

// With what holds for each side. `method` says which one it is for.
SslContext new_ssl_context(const SSL_METHOD* method);

// Whose certificates the side believes: those of the authorities in the file (PEM), or of the
// system's where there is none. Throws std::runtime_error if it cannot be read.
void trust(SSL_CTX* context, const std::string& ca_file);

// What the side shows of itself; the files are PEM, and the certificate may bring its chain.
// Throws std::runtime_error if a file cannot be read, or the two do not fit.
void show_certificate(SSL_CTX* context, const std::string& cert_file, const std::string& key_file);

// The server's certificate has to be for this name or address. A name is also asked for (SNI); a
// dot at its end says nothing.
// REQUIRES: `name` is not empty.
void expect_name(SSL* ssl, const std::string& name);

}  // namespace einlass::net
