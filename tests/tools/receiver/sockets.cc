#include "tools/receiver/sockets.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <system_error>

namespace einlass::tools {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void control(int epoll, int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  require(epoll_ctl(epoll, operation, fd, &event), "epoll_ctl");
}

}  // namespace

int require(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

int listen_on(std::uint16_t& port) {
  const int fd = require(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  require(bind(fd, reinterpret_cast<sockaddr*>(&address), size), "bind");
  require(listen(fd, 1024), "listen");
  require(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  port = ntohs(address.sin_port);
  return fd;
}

int connect_to(std::uint16_t port) {
  const int fd = require(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  const sockaddr_in address = loopback(port);
  require(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  set_no_delay(fd);
  return fd;
}

void set_no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void watch(int epoll, int fd, std::uint32_t events) { control(epoll, EPOLL_CTL_ADD, fd, events); }

void watch_instead(int epoll, int fd, std::uint32_t events) {
  control(epoll, EPOLL_CTL_MOD, fd, events);
}

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace einlass::tools
