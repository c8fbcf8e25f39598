#include "app/service/supervisor.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/number.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What is watched may be the process that started us.
std::optional<Duration> period_asked_for() {
  const std::string process = variable("WATCHDOG_PID");
  if (!process.empty() && whole_number<std::int64_t>(process) != getpid()) return std::nullopt;
  const auto us = whole_number<std::int64_t>(variable("WATCHDOG_USEC"));
  if (!us || *us <= 0) return std::nullopt;
  return Duration{std::max<std::int64_t>(*us / 2, 1)};
}

std::int64_t monotonic_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000} + now.tv_nsec / 1000;
}

// systemd throws away whole datagrams that are longer than 4,096 bytes or are not UTF-8.
constexpr std::size_t kLongestStatus = 1'000;

// A line break would begin another assignment.
std::string assignment(std::string status) {
  while (!status.empty() && status.back() == '\n') status.pop_back();
  std::replace(status.begin(), status.end(), '\n', ' ');
  return "STATUS=" + utf8_prefix(valid_utf8(status), kLongestStatus);
}

}  // namespace

Supervisor::Supervisor() : address_(variable("NOTIFY_SOCKET")) {
  if (address_.empty() || (address_[0] != '/' && address_[0] != '@')) return;
  if (address_.size() >= sizeof(sockaddr_un::sun_path)) return;
  if (address_[0] == '@') address_[0] = '\0';
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = 0, .tv_usec = static_cast<suseconds_t>(kPatience.us)};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  watchdog_period_ = period_asked_for();
}

Supervisor::~Supervisor() {
  if (socket_ >= 0) close(socket_);
}

void Supervisor::ready(const std::string& status) const { send("READY=1\n" + assignment(status)); }

void Supervisor::status(const std::string& status) const { send(assignment(status)); }

void Supervisor::reloading() const {
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()));
}

void Supervisor::stopping(Duration longest) const {
  send("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=" + std::to_string(longest.us));
}

void Supervisor::alive() const { send("WATCHDOG=1"); }

void Supervisor::send(const std::string& message) const {
  if (socket_ < 0) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  address_.copy(to.sun_path, sizeof(to.sun_path) - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  static_cast<void>(sendto(socket_, message.data(), message.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&to), size));
}

}  // namespace einlass::app
