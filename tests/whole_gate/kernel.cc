#include "whole_gate/kernel.h"

#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "whole_gate/system_calls.h"
#include "whole_gate/wire.h"

namespace einlass::whole {
namespace {

// Some day in 2026, a whole number of seconds.
constexpr std::int64_t kBeginning = 1'790'000'000'000'000'000;

// What looking at the clock takes: so a loop that never waits gets on too.
constexpr std::int64_t kLookNanos = 40;

// A program that has looked so often whether there is something to do, and found something each
// time, does not end.
constexpr int kMostLooks = 2'000'000;

// So that larger requests leave in parts.
constexpr int kSmallBuffer = 4'608;

Kernel* the_one = nullptr;

Endpoint endpoint_of(const sockaddr* address) {
  sockaddr_in in;
  std::memcpy(&in, address, sizeof in);
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
  return {text, ntohs(in.sin_port)};
}

int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace

Kernel::Kernel(std::uint64_t seed) : random_(seed), of_program_(~seed), nanos_(kBeginning) {
  the_one = this;
}

Kernel::~Kernel() { the_one = nullptr; }

Kernel* Kernel::current() { return the_one; }

std::int64_t Kernel::look_at_clock() { return nanos_ += kLookNanos; }

void Kernel::at(Micros when, std::function<void()> what) {
  events_.emplace(std::pair(std::max(when, now()), ++events_made_), std::move(what));
}

void Kernel::trace(const std::string& line) {
  for (const char c : line) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash_ = (hash_ ^ static_cast<std::uint64_t>(now())) * 0x100000001b3u;
  if (verbose_) {
    std::printf("%12.6f  %s\n", static_cast<double>(nanos_ - kBeginning) / 1e9, line.c_str());
  }
}

int Kernel::socket(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type, 0, ends) != 0) return -1;
  if (one_in(2)) ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &kSmallBuffer, sizeof kSmallBuffer);
  wires_[ends[0]] = std::make_shared<Wire>(*this, ++wires_made_, ends[0], ends[1]);
  return ends[0];
}

int Kernel::connect(int fd, const sockaddr* address) {
  const std::shared_ptr<Wire> wire = wires_.at(fd);
  const Endpoint endpoint = endpoint_of(address);
  const auto found = listeners_.find(endpoint);
  if (found == listeners_.end()) return fail_with(ECONNREFUSED);
  Listener& listener = *found->second;
  const Welcome welcome = listener.welcome();
  trace("wire " + std::to_string(wire->number()) + " to " + endpoint.host + ":" +
        std::to_string(endpoint.port) + ": " + std::to_string(static_cast<int>(welcome.kind)));
  if (welcome.after == 0 && welcome.kind == Welcome::Kind::refused) return fail_with(ECONNREFUSED);
  if (welcome.after == 0 && welcome.kind == Welcome::Kind::accepted) {
    listener.accepted(wire);
    return 0;
  }
  wire->begin_connecting();
  if (welcome.kind == Welcome::Kind::silent) return fail_with(EINPROGRESS);
  after(welcome.after, [&listener, welcome, found = std::weak_ptr<Wire>(wire)] {
    const auto still = found.lock();
    if (!still || !still->is_open()) return;
    const bool refused = welcome.kind == Welcome::Kind::refused;
    still->end_connecting(refused ? ECONNREFUSED : 0);
    if (!refused) listener.accepted(still);
  });
  return fail_with(EINPROGRESS);
}

int Kernel::take_error(int fd) { return wires_.at(fd)->take_error(); }

int Kernel::epoll_wait(int epoll, epoll_event* events, int room, int timeout) {
  if (timeout != 0) looks_without_waiting_ = 0;
  if (++looks_without_waiting_ > kMostLooks) throw Lost("it never waits");
  for (;;) {
    const int ready = real::epoll_wait(epoll, events, room, 0);
    if (ready != 0 || timeout == 0) return ready;
    if (!go_on()) throw Lost("it waits for something that never happens");
  }
}

// To the next thing that happens, and through it; false if there is none.
bool Kernel::go_on() {
  carry_bytes();
  const std::int64_t timer = next_timer();
  const std::int64_t event = events_.empty() ? kNever : events_.begin()->first.first * 1'000;
  if (timer == kNever && event == kNever) return false;
  nanos_ = std::max(nanos_, std::min(timer, event));
  if (timer <= event) {
    fire_timers();
    return true;
  }
  const auto what = std::move(events_.begin()->second);
  events_.erase(events_.begin());
  what();
  return true;
}

void Kernel::carry_bytes() {
  for (const auto& wire : std::exchange(written_, {})) wire->carry();
}

int Kernel::timerfd_create() {
  const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  timers_[fd] = kNever;
  return fd;
}

int Kernel::timerfd_settime(int fd, int flags, const itimerspec& wanted) {
  eventfd_t ignored;
  eventfd_read(fd, &ignored);
  const std::int64_t length = wanted.it_value.tv_sec * 1'000'000'000 + wanted.it_value.tv_nsec;
  // An instant is only ever named to mean: now.
  const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  timers_[fd] = length == 0 ? kNever : nanos_ + (absolute ? 0 : length);
  return 0;
}

void Kernel::writes(int fd) {
  const auto wire = wires_.find(fd);
  if (wire == wires_.end()) return;
  if (written_.empty() || written_.back() != wire->second) written_.push_back(wire->second);
}

void Kernel::closes(int fd) {
  timers_.erase(fd);
  const auto wire = wires_.find(fd);
  if (wire == wires_.end()) return;
  wire->second->gate_closes();
  written_.push_back(wire->second);
  wires_.erase(wire);
}

std::int64_t Kernel::next_timer() const {
  std::int64_t next = kNever;
  for (const auto& [fd, due] : timers_) next = std::min(next, due);
  return next;
}

void Kernel::fire_timers() {
  for (auto& [fd, due] : timers_) {
    if (due > nanos_) continue;
    due = kNever;
    eventfd_write(fd, 1);
  }
}

void Kernel::random_bytes(char* to, std::size_t size) {
  std::generate_n(to, size, [this] { return static_cast<char>(of_program_()); });
}

}  // namespace einlass::whole
