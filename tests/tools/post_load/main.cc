// post_load: the cheapest possible client, to see what sending alone costs on this machine.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/receiver/sockets.h"

namespace {

using einlass::tools::connect_to;
using einlass::tools::require;
using einlass::tools::watch;

struct Load {
  std::uint16_t port = 0;
  int connections = 64;
  std::int64_t requests = 200'000;
  std::size_t size = 1024;
};

// Of the same shape as a gate's request, so that both move the same bytes.
std::string request_of(std::int64_t number, std::size_t size) {
  const std::string offset = std::to_string(number);
  return "POST /callback HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(size) +
         "\r\nContent-Type: application/octet-stream\r\nIdempotency-Key: \"load-0-" + offset +
         "\"\r\nEinlass-Permit: 00000000-0000-4000-8000-000000000000\r\nEinlass-Admitted-At: "
         "1700000000000000\r\nEinlass-Attempt: 1\r\nKafka-Topic: load\r\nKafka-Partition: "
         "0\r\nKafka-Offset: " +
         offset + "\r\nKafka-Timestamp: 1700000000000\r\n\r\n" + std::string(size, '.');
}

void send_all(int fd, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t size = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    sent += static_cast<std::size_t>(require(static_cast<int>(size), "send"));
  }
}

void run(const Load& load) {
  const int epoll = require(epoll_create1(EPOLL_CLOEXEC), "epoll");
  std::int64_t sent = 0;
  for (int i = 0; i < load.connections; ++i) {
    const int fd = connect_to(load.port);
    watch(epoll, fd, EPOLLIN);
    send_all(fd, request_of(sent++, load.size));
  }
  std::array<epoll_event, 256> events{};
  std::array<char, 4096> answer{};
  for (std::int64_t answered = 0; answered < load.requests;) {
    const int count = require(epoll_wait(epoll, events.data(), events.size(), 5000), "epoll_wait");
    if (count == 0) throw std::runtime_error("no answer for 5 s");
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (read(fd, answer.data(), answer.size()) <= 0) throw std::runtime_error("closed");
      ++answered;
      if (sent < load.requests) send_all(fd, request_of(sent++, load.size));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The cheapest possible client, to see what sending alone costs"};
  Load load;
  app.add_option("--port", load.port)->required();
  app.add_option("--connections", load.connections);
  app.add_option("--requests", load.requests);
  app.add_option("--size", load.size, "bytes of each body");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto start = std::chrono::steady_clock::now();
    run(load);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    std::cout << nlohmann::json{{"requests", load.requests},
                                {"seconds", seconds.count()},
                                {"cpu_seconds", cpu}}
              << '\n';
  } catch (const std::exception& error) {
    std::cerr << "post_load: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
