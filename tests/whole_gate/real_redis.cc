#include "whole_gate/real_redis.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace einlass::whole {
namespace {

// Long enough for a machine on which everything else runs as well.
constexpr int kTries = 3'000;
constexpr int kTryMicros = 10'000;

std::runtime_error failed(const std::string& what) {
  return std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

RealRedis::RealRedis(const std::string& clock) {
  std::string name = (std::filesystem::temp_directory_path() / "einlass-world-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw failed("no folder for Redis");
  folder_ = name;
  start(clock);
  connect();
}

RealRedis::~RealRedis() {
  if (socket_ >= 0) ::close(socket_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RealRedis::start(const std::string& clock) {
  const std::string path = folder_ / "clock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(std::int64_t)) != 0) throw failed(path);
  void* const found =
      mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (found == MAP_FAILED) throw failed(path);
  clock_ = static_cast<volatile std::int64_t*>(found);
  *clock_ = 1'000'000'000'000'000;
  process_ = fork();
  if (process_ < 0) throw failed("fork");
  if (process_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setenv("LD_PRELOAD", clock.c_str(), 1);
  setenv("EINLASS_CLOCK", path.c_str(), 1);
  const std::string socket = folder_ / "socket";
  execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket.c_str(), "--dir",
         folder_.c_str(), "--save", "", "--appendonly", "no", "--logfile",
         (folder_ / "log").c_str(), nullptr);
  _exit(127);
}

void RealRedis::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder_ / "socket";
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  for (int tries = 0; tries < kTries; ++tries) {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
    ::close(socket_);
    usleep(kTryMicros);
  }
  throw failed("redis-server does not start (see whether it is installed)");
}

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
