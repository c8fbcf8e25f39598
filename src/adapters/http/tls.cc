#include "adapters/http/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <climits>
#include <new>
#include <stdexcept>

namespace einlass::http {
namespace {

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL, and a peer that went away would end the
// process. This one does the same work with send and recv.
int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto n =
      ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto n = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (n == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(n);
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

const BIO_METHOD* socket_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

bool is_address(const std::string& name) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// A name is also asked for (SNI); an address may only be compared.
void expect_name(SSL* ssl, const std::string& name) {
  if (is_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str());
    return;
  }
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  SSL_set1_host(ssl, name.c_str());
  SSL_set_tlsext_host_name(ssl, name.c_str());
}

}  // namespace

TlsContext::TlsContext(const std::string& ca_file, std::string server_name)
    : context_{SSL_CTX_new(TLS_client_method())}, server_name_{std::move(server_name)} {
  if (!context_) throw std::bad_alloc();
  SSL_CTX* const context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A missing close_notify could only cut short a body, and bodies are thrown away.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // A record is one recv instead of two.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, kHttp11, sizeof(kHttp11) - 1);
  if (ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1) {
    ERR_clear_error();
    throw std::runtime_error("no certificates can be read from the CA file " + ca_file);
  }
}

std::unique_ptr<TlsSession> TlsContext::open(int socket) const {
  std::unique_ptr<TlsSession> session(new TlsSession(SSL_new(context_.get())));
  BIO* const bio = BIO_new(socket_method());
  if (!session->ssl_ || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session->ssl_.get(), bio, bio);
  SSL_set_connect_state(session->ssl_.get());
  expect_name(session->ssl_.get(), server_name_);
  return session;
}

IoResult TlsSession::handshake() {
  ERR_clear_error();
  return result(SSL_do_handshake(ssl_.get()), 0);
}

IoResult TlsSession::read(std::span<char> room) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int returned = SSL_read_ex(ssl_.get(), room.data(), room.size(), &bytes);
  return result(returned, bytes);
}

IoResult TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  return result(returned, written);
}

IoResult TlsSession::result(int returned, std::size_t bytes) {
  if (returned > 0) return {IoState::done, bytes};
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {IoState::wait_read, 0};
    case SSL_ERROR_WANT_WRITE:
      return {IoState::wait_write, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {IoState::closed, 0};
    default:
      error_ = ERR_peek_last_error();
      return {IoState::failed, 0};
  }
}

std::string TlsSession::reason() const {
  const long verified = SSL_get_verify_result(ssl_.get());
  if (verified != X509_V_OK) {
    return std::string("certificate refused: ") + X509_verify_cert_error_string(verified);
  }
  const char* const text = ERR_reason_error_string(error_);
  return text != nullptr ? std::string("TLS: ") + text : "connection reset by peer";
}

}  // namespace einlass::http
