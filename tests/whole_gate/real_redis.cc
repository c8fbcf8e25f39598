#include "whole_gate/real_redis.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace einlass::whole {
namespace {

// What it says, in every version, when it listens at a Unix socket.
constexpr std::string_view kReady = "eady to accept connections";

// In microseconds since 1970: before the worlds begin.
constexpr std::int64_t kBooted = 1'000'000'000'000'000;

std::runtime_error failed(const std::string& what) {
  return std::runtime_error(what + ": " + std::strerror(errno));
}

volatile std::int64_t* make_clock(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(std::int64_t)) != 0) throw failed(path);
  void* const found =
      mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (found == MAP_FAILED) throw failed(path);
  auto* const clock = static_cast<volatile std::int64_t*>(found);
  *clock = kBooted;
  return clock;
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw failed(path);
  }
  return socket;
}

}  // namespace

RealRedis::RealRedis(const std::string& clock)
    : clock_(make_clock(folder_.file("clock"))),
      server_({"env", "LD_PRELOAD=" + clock, "EINLASS_CLOCK=" + folder_.file("clock"),
               "redis-server", "--port", "0", "--unixsocket", folder_.file("socket"), "--dir",
               folder_.path(), "--save", "", "--appendonly", "no"},
              folder_.file("log")) {
  if (!server_.says(kReady)) {
    throw std::runtime_error("redis-server does not start: " + server_.log());
  }
  socket_ = connect_to(folder_.file("socket"));
}

RealRedis::~RealRedis() { ::close(socket_); }

std::string RealRedis::ask(const Words& command, Micros now) {
  *clock_ = now;
  const std::string question = written(command);
  std::size_t sent = 0;
  while (sent < question.size()) {
    const ssize_t n = ::send(socket_, question.data() + sent, question.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) throw failed("Redis is gone");
    sent += static_cast<std::size_t>(n);
  }
  std::string reply;
  std::array<char, 16'384> room;
  while (reply_length(reply) == 0) {
    const ssize_t n = ::recv(socket_, room.data(), room.size(), 0);
    if (n <= 0) throw failed("Redis is gone");
    reply.append(room.data(), static_cast<std::size_t>(n));
  }
  return reply;
}

}  // namespace einlass::whole
