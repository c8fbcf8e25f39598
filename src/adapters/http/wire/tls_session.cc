#include "adapters/http/wire/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace einlass::http {
namespace {

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL, and a peer that went away would end the
// process. This one does the same work with send and recv.
TlsSocket& socket_of(BIO* bio) { return *static_cast<TlsSocket*>(BIO_get_data(bio)); }

// The most that one call of a session takes from its socket; the rest makes the socket readable
// again, after the others had their turn.
constexpr std::size_t kMostPerCall = 256 * 1024;

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto n = ::send(socket_of(bio).descriptor, bytes, static_cast<std::size_t>(size),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  TlsSocket& socket = socket_of(bio);
  if (socket.messages > TlsSession::kMostMessages) return -1;
  if (socket.may_read == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t most = std::min(static_cast<std::size_t>(size), socket.may_read);
  const auto n = ::recv(socket.descriptor, bytes, most, MSG_DONTWAIT);
  if (n > 0) socket.may_read -= static_cast<std::size_t>(n);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (n == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(n);
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

// Called for each step of a handshake, for each message after it (also one that changes keys), and
// for each alert.
void count_message(const SSL* ssl, int, int) {
  ++static_cast<TlsSocket*>(SSL_get_app_data(ssl))->messages;
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

}  // namespace

TlsSession::TlsSession(SSL_CTX* context, int socket)
    : socket_{new TlsSocket{.descriptor = socket}}, ssl_{SSL_new(context)} {
  BIO* const bio = BIO_new(socket_method());
  if (!ssl_ || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, socket_.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_app_data(ssl_.get(), socket_.get());
  SSL_set_info_callback(ssl_.get(), count_message);
}

IoResult TlsSession::handshake() {
  ERR_clear_error();
  socket_->may_read = kMostPerCall;
  return result(SSL_do_handshake(ssl_.get()), 0);
}

IoResult TlsSession::read(std::span<char> room) {
  ERR_clear_error();
  std::size_t bytes = 0;
  socket_->may_read = kMostPerCall;
  const int returned = SSL_read_ex(ssl_.get(), room.data(), room.size(), &bytes);
  return result(returned, bytes);
}

IoResult TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t written = 0;
  const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  return result(returned, written);
}

void TlsSession::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
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

bool TlsSession::is_refused() const {
  const bool verifies = (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) != 0;
  return (verifies && SSL_get_verify_result(ssl_.get()) != X509_V_OK) ||
         ERR_reason_error_string(error_) != nullptr;
}

bool TlsSession::speaks_http2() const {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &chosen, &size);
  return std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2";
}

std::string TlsSession::reason() const {
  if (says_nothing()) return "TLS: too many messages that carry no data";
  const bool verifies = (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) != 0;
  const long verified = SSL_get_verify_result(ssl_.get());
  if (verifies && verified != X509_V_OK) {
    if (verified == X509_V_ERR_APPLICATION_VERIFICATION) {
      return "certificate refused: it is not the one that is expected";
    }
    return std::string("certificate refused: ") + X509_verify_cert_error_string(verified);
  }
  const char* const text = ERR_reason_error_string(error_);
  return text != nullptr ? std::string("TLS: ") + text : "connection reset by peer";
}

}  // namespace einlass::http
