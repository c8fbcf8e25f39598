#include "adapters/http/wire/stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "adapters/http/wire/words.h"

namespace einlass::http {

IoResult Stream::handshake() { return tls_ ? tls_->handshake() : IoResult{IoState::done, 0}; }

IoResult Stream::read(std::span<char> room) {
  if (tls_) return tls_->read(room);
  for (;;) {
    const auto n = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    if (n > 0) return {IoState::done, static_cast<std::size_t>(n)};
    if (n == 0) return {IoState::closed, 0};
    if (errno == EAGAIN) return {IoState::wait_read, 0};
    if (errno == EINTR) continue;
    error_ = errno;
    return {IoState::failed, 0};
  }
}

IoResult Stream::write(std::string_view bytes) {
  if (tls_) return tls_->write(bytes);
  for (;;) {
    const auto n =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return {IoState::done, static_cast<std::size_t>(n)};
    if (errno == EAGAIN) return {IoState::wait_write, 0};
    if (errno == EINTR) continue;
    error_ = errno;
    return {IoState::failed, 0};
  }
}

void Stream::end_writing() {
  if (tls_) tls_->say_goodbye();
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

std::string Stream::reason() const {
  return tls_ ? tls_->reason() : in_words(std::error_code(error_, std::generic_category()));
}

void Stream::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  tls_.reset();
}

}  // namespace einlass::http
