#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <new>
#include <stdexcept>
#include <string>

#include "net/host.h"
#include "units/check.h"

namespace einlass::net {
namespace {

// OpenSSL would ask whoever sits at the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

[[noreturn]] void refuse(const std::string& what) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  const std::string why = reason != nullptr ? std::string(" (") + reason + ")" : "";
  ERR_clear_error();
  throw std::runtime_error(what + why);
}

// A name that is written as a whole one ends with a dot, which neither SNI (RFC 6066, section 3)
// nor a certificate has.
std::string without_final_dot(std::string name) {
  if (name.size() > 1 && name.ends_with('.')) name.pop_back();
  return name;
}

// Read once for all contexts: that takes 25 ms (OpenSSL 3.0), and who connects anew each second, as
// to a Sentinel, must not stand still for it. What comes into their folder later is found all the
// same; what goes, or changes in their file, is noticed by the next process.
X509_STORE* system_authorities() {
  static X509_STORE* const store = [] {
    X509_STORE* const made = X509_STORE_new();
    if (made == nullptr) throw std::bad_alloc();
    X509_STORE_set_default_paths(made);
    return made;
  }();
  return store;
}

// In a Diffie-Hellman exchange over a finite field the server chooses the field: in TLS 1.2 one of
// up to 10,000 bits, for which one step of a handshake takes a second, and nothing else is done
// meanwhile. The largest that TLS 1.3 has takes 18 ms, a curve less than one.
void leave_out_finite_fields(SSL_CTX* context) {
  std::string names;
  const STACK_OF(SSL_CIPHER)* const ciphers = SSL_CTX_get_ciphers(context);
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); ++i) {
    const SSL_CIPHER* const one = sk_SSL_CIPHER_value(ciphers, i);
    const int exchange = SSL_CIPHER_get_kx_nid(one);  // Any: of TLS 1.3, which stay as they are.
    if (exchange == NID_kx_dhe || exchange == NID_kx_any) continue;
    names.append(names.empty() ? "" : ":").append(SSL_CIPHER_get_name(one));
  }
  CHECK(SSL_CTX_set_cipher_list(context, names.c_str()) == 1);
#if OPENSSL_VERSION_NUMBER < 0x30500000L  // From then on the largest of them has 3,072 bits.
  // The second where a FIPS provider is all there is.
  for (const char* const curves : {"X25519:P-256:X448:P-521:P-384", "P-256:P-521:P-384"}) {
    if (SSL_CTX_set1_groups_list(context, curves) == 1) break;
    ERR_clear_error();
  }
#endif
}

}  // namespace

SslContext new_ssl_context(const SSL_METHOD* method) {
  SslContext made(SSL_CTX_new(method));
  if (!made) throw std::bad_alloc();
  SSL_CTX* const context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A missing close_notify could only cut short a body without a length, and one by which something
  // is decided is then believed only as whole JSON (AnswerRules::may_be_cut).
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // A record is one recv instead of two.
  leave_out_finite_fields(context);
  return made;
}

void trust(SSL_CTX* context, const std::string& ca_file) {
  if (ca_file.empty()) {
    SSL_CTX_set1_cert_store(context, system_authorities());
  } else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1) {
    refuse("no certificates can be read from the CA file " + ca_file);
  }
}

void show_certificate(SSL_CTX* context, const std::string& cert_file, const std::string& key_file) {
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context, cert_file.c_str()) != 1) {
    refuse("no certificate can be read from " + cert_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    refuse("the key in " + key_file + " cannot be read, or is not that of " + cert_file);
  }
  // A key of another kind than the certificate's was only put beside it.
  if (SSL_CTX_check_private_key(context) != 1) {
    refuse("the key in " + key_file + " is not that of " + cert_file);
  }
}

// An address may only be compared. A certificate names its servers in its subjectAltName alone
// (RFC 9525, section 6.3).
void expect_name(SSL* ssl, const std::string& name) {
  CHECK(!name.empty());
  const std::string plain = without_final_dot(name);
  if (is_address(plain)) {
    CHECK(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), plain.c_str()) == 1);
    return;
  }
  SSL_set_hostflags(ssl,
                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  CHECK(SSL_set1_host(ssl, plain.c_str()) == 1);
  SSL_set_tlsext_host_name(ssl, plain.c_str());  // Too long a one no certificate can have either.
}

}  // namespace einlass::net
