// What one delivery costs the gate's CPU: http::Target beside the least that any client can do
// (bare epoll, one send and one recv for each request, no parsing to speak of), over HTTP/1.1 and
// over HTTP/2 in the clear. All talk to bare servers in other processes, 1 KB POST, 64 at a time,
// alternating rounds.
//
// With a port and a CA file it measures HTTPS and HTTP/2 in TLS, at a server that is there already:
// http_tls.py starts one.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/target/target.h"
#include "bench/http2_server.h"

namespace {

using namespace einlass;

constexpr std::size_t kConnections = 64;
constexpr std::size_t kRequests = 200'000;
constexpr int kRounds = 5;
constexpr std::string_view kAnswer =
    "HTTP/1.1 204 No Content\r\nServer: bench\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

void add_to_epoll(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

void no_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int listen_anywhere(std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) die("bind");
  if (listen(fd, 1024) != 0) die("listen");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

// Every request comes as one piece on this machine; its last byte is a marker.
[[noreturn]] void serve(int listener) {
  const int epoll = epoll_create1(0);
  add_to_epoll(epoll, listener);
  std::array<epoll_event, 128> events;
  std::array<char, 16384> bytes;
  for (;;) {
    const int ready = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        const int accepted = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        no_delay(accepted);
        add_to_epoll(epoll, accepted);
        continue;
      }
      const auto n = recv(fd, bytes.data(), bytes.size(), 0);
      if (n <= 0) {
        close(fd);
      } else if (bytes[static_cast<std::size_t>(n) - 1] == '}') {
        send(fd, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
      }
    }
  }
}

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) { return double(t.tv_sec) * 1e6 + double(t.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

std::string body() { return "{" + std::string(1022, 'x') + "}"; }

const std::vector<http::RequestHeader> kHeaders = {
    {"Idempotency-Key", "\"results-3-1234567\""},
    {"Einlass-Permit", "123e4567-e89b-12d3-a456-426614174000"},
    {"Einlass-Admitted-At", "1753690000000000"},
    {"Einlass-Attempt", "1"},
    {"Kafka-Topic", "results"},
    {"Kafka-Partition", "3"},
    {"Kafka-Offset", "1234567"},
    {"Kafka-Timestamp", "1753690000000"},
    {"Kafka-Key", "customer-4711"},
};

std::string bare_request() {
  std::string request = "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-Source: einlass\r\n";
  request += "Content-Type: application/octet-stream\r\nContent-Length: 1024\r\n";
  for (const auto& header : kHeaders) {
    request += std::string(header.name) + ": " + std::string(header.value) + "\r\n";
  }
  return request + "\r\n" + body();
}

// CPU microseconds for a request.
double bare_round(std::uint16_t port) {
  const int epoll = epoll_create1(0);
  const std::string request = bare_request();
  std::vector<int> sockets;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  for (std::size_t i = 0; i < kConnections; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) die("connect");
    no_delay(fd);
    add_to_epoll(epoll, fd);
    sockets.push_back(fd);
  }
  const double before = cpu_us();
  for (const int fd : sockets) send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  std::size_t sent = kConnections;
  std::array<epoll_event, 128> events;
  std::array<char, 4096> bytes;
  for (std::size_t done = 0; done < kRequests;) {
    const int ready = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (recv(fd, bytes.data(), bytes.size(), 0) <= 0) die("recv");
      ++done;
      if (sent++ < kRequests) send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    }
  }
  const double spent = (cpu_us() - before) / double(kRequests);
  for (const int fd : sockets) close(fd);
  close(epoll);
  return spent;
}

double target_round(std::uint16_t port, http::Http2 http2, const std::string& ca_file = "") {
  boost::asio::io_context io(1);
  core::Events events;
  http::TargetOptions options;
  options.name = "bench";
  options.host = "127.0.0.1";
  options.port = port;
  options.path = "/callback";
  options.headers = {{"X-Source", "einlass"}};
  options.max_in_flight = kConnections;
  options.http2 = http2;
  options.tls = !ca_file.empty();
  options.certificates.ca_file = ca_file;
  http::Target target(io, options, events, [](const Notice&) {});
  target.start(core::TargetId{});
  const std::string payload = body();
  const http::Request request{.record = {},
                              .attempt = {1},
                              .id = {},
                              .content_type = {},
                              .headers = kHeaders,
                              .body = payload};
  double before = 0;
  std::size_t done = 0;
  std::size_t sent = 0;
  // The first round only connects.
  for (; sent < kConnections; ++sent) target.send(request);
  while (done < kRequests + kConnections) {
    io.poll();
    if (events.empty()) io.run_one();
    for (const auto& event : events) {
      if (std::get<core::DeliveryEnded>(event).outcome != core::Outcome::accepted) die("attempt");
    }
    if (done < kConnections && done + events.size() >= kConnections) before = cpu_us();
    done += events.size();
    std::size_t free = events.size();
    events.clear();
    for (; free > 0 && sent < kRequests + kConnections; --free, ++sent) target.send(request);
  }
  return (cpu_us() - before) / double(kRequests);
}

void measure_tls(std::uint16_t port, const std::string& ca_file) {
  double best_https = 1e9;
  double best_http2 = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double https = target_round(port, http::Http2::never, ca_file);
    const double http2 = target_round(port, http::Http2::always, ca_file);
    std::printf("HTTPS %.2f us  HTTP/2 in TLS %.2f us\n", https, http2);
    best_https = std::min(best_https, https);
    best_http2 = std::min(best_http2, http2);
  }
  std::printf("best: HTTPS %.2f us  HTTP/2 in TLS %.2f us\n", best_https, best_http2);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) {
    measure_tls(static_cast<std::uint16_t>(std::atoi(arguments[1])), arguments[2]);
    return 0;
  }
  std::uint16_t port = 0;
  const int listener = listen_anywhere(port);
  const pid_t server = fork();
  if (server == 0) serve(listener);
  std::uint16_t port2 = 0;
  const int listener2 = listen_anywhere(port2);
  const pid_t server2 = fork();
  if (server2 == 0) bench::serve_http2(listener2);
  double best_bare = 1e9;
  double best_target = 1e9;
  double best_http2 = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double bare = bare_round(port);
    const double target = target_round(port, http::Http2::never);
    const double http2 = target_round(port2, http::Http2::always);
    std::printf("bare epoll %.2f us  http::Target %.2f us  ratio %.2f  HTTP/2 %.2f us\n", bare,
                target, target / bare, http2);
    best_bare = std::min(best_bare, bare);
    best_target = std::min(best_target, target);
    best_http2 = std::min(best_http2, http2);
  }
  std::printf("best: bare epoll %.2f us  http::Target %.2f us  ratio %.2f  HTTP/2 %.2f us\n",
              best_bare, best_target, best_target / best_bare, best_http2);
  for (const pid_t one : {server, server2}) {
    kill(one, SIGKILL);
    waitpid(one, nullptr, 0);
  }
}
