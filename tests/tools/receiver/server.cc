#include "tools/receiver/server.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "tools/receiver/sockets.h"

namespace einlass::tools {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

}  // namespace

Server::Server(std::uint16_t port, std::uint16_t control_port)
    : port_(port), control_port_(control_port), buffer_(kReadBytes) {
  epoll_ = require(epoll_create1(EPOLL_CLOEXEC), "epoll");
  listener_ = listen_on(port_);
  control_listener_ = listen_on(control_port_);
  watch(epoll_, listener_, EPOLLIN);
  watch(epoll_, control_listener_, EPOLLIN);
}

Server::~Server() {
  for (std::size_t fd = 0; fd < connections_.size(); ++fd) drop(static_cast<int>(fd));
  if (listener_ >= 0) close(listener_);
  close(control_listener_);
  close(epoll_);
}

void Server::run(int stop_fd) {
  watch(epoll_, stop_fd, EPOLLIN);
  std::array<epoll_event, 256> events{};
  while (true) {
    const int count = epoll_wait(epoll_, events.data(), events.size(), timeout_ms(now_us()));
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == stop_fd) return;
      if (fd == listener_ || fd == control_listener_) {
        accept_all(fd, fd == control_listener_);
      } else if (static_cast<std::size_t>(fd) < connections_.size() && connections_[fd]) {
        Connection& connection = *connections_[fd];
        if (connection.wants_write) {
          flush(connection);
        } else {
          read_from(connection);
        }
      }
    }
    const auto now = now_us();
    release_due(now);
    if (script_.expire(now)) apply_mode();
  }
}

int Server::timeout_ms(std::int64_t now) const {
  std::int64_t next = script_.until_us();
  if (!later_.empty() && (next == 0 || later_.begin()->first < next)) next = later_.begin()->first;
  if (next == 0) return -1;
  return static_cast<int>(std::clamp<std::int64_t>((next - now + 999) / 1000, 0, 1000));
}

void Server::accept_all(int listener, bool control) {
  while (true) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    set_no_delay(fd);
    if (connections_.size() <= static_cast<std::size_t>(fd)) connections_.resize(fd + 1);
    connections_[fd] = std::make_unique<Connection>();
    connections_[fd]->fd = fd;
    connections_[fd]->control = control;
    connections_[fd]->serial = ++serial_;
    watch(epoll_, fd, EPOLLIN);
  }
}

void Server::read_from(Connection& connection) {
  const int fd = connection.fd;
  while (true) {
    const ssize_t size = read(fd, buffer_.data(), buffer_.size());
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return drop(fd);
    connection.in.append(buffer_.data(), static_cast<std::size_t>(size));
    take_requests(connection);
    if (!connections_[fd] || static_cast<std::size_t>(size) < buffer_.size()) return;
  }
}

void Server::take_requests(Connection& connection) {
  const int fd = connection.fd;
  std::size_t taken = 0;
  while (!connection.waiting && taken < connection.in.size()) {
    Request request;
    const auto parsed = parse_request(std::string_view(connection.in).substr(taken), request);
    if (parsed == Parsed::broken) return drop(fd);
    if (parsed == Parsed::incomplete) break;
    taken += request.size;
    if (!take_request(connection, request)) return;
  }
  connection.in.erase(0, taken);
  flush(connection);
}

// False if the connection is gone.
bool Server::take_request(Connection& connection, const Request& request) {
  if (connection.control) {
    answer_control(connection, request);
    return true;
  }
  const auto now = now_us();
  connection.entry = journal_.arrived(request, now);
  const Answer answer = script_.answer(request.key, request.body);
  const Later later{connection.fd, connection.serial};
  switch (answer.kind) {
    case Answer::Kind::now:
      respond(connection, answer.status);
      return true;
    case Answer::Kind::later:
      connection.waiting = true;
      later_.emplace(now + answer.delay_us, later);
      return true;
    case Answer::Kind::hold:
      connection.waiting = true;
      held_.push_back(later);
      return true;
    case Answer::Kind::reset:
      drop(connection.fd, true);
      return false;
  }
  return true;
}

void Server::flush(Connection& connection) {
  while (!connection.out.empty()) {
    const ssize_t sent =
        send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return drop(connection.fd);
    if (sent > 0) connection.out.erase(0, static_cast<std::size_t>(sent));
    if (sent < 0) break;
  }
  if (connection.wants_write != !connection.out.empty()) {
    connection.wants_write = !connection.out.empty();
    watch_instead(epoll_, connection.fd, connection.wants_write ? EPOLLOUT : EPOLLIN);
  }
}

void Server::drop(int fd, bool reset) {
  if (!connections_[fd]) return;
  if (reset) {
    const linger now{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  close(fd);
  connections_[fd].reset();
}

}  // namespace einlass::tools
