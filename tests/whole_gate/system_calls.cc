// Replaces what libc and libstdc++ have under these names: a program's own definitions
// come before those of shared libraries.
#include "whole_gate/system_calls.h"

#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "whole_gate/kernel.h"

namespace {

using einlass::whole::Kernel;

template <class F>
F* next(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

std::int64_t system_nanos(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

namespace einlass::whole::real {

int epoll_wait(int epoll, epoll_event* events, int room, int timeout) {
  static const auto call = next(&::epoll_wait, "epoll_wait");
  return call(epoll, events, room, timeout);
}

}  // namespace einlass::whole::real

// ---- time and chance, as the program's own libraries ask for them ----

namespace std {
namespace chrono {

steady_clock::time_point steady_clock::now() noexcept {
  Kernel* const kernel = Kernel::current();
  return time_point(nanoseconds(kernel ? kernel->look_at_clock() : system_nanos(CLOCK_MONOTONIC)));
}

system_clock::time_point system_clock::now() noexcept {
  Kernel* const kernel = Kernel::current();
  return time_point(nanoseconds(kernel ? kernel->look_at_clock() : system_nanos(CLOCK_REALTIME)));
}

}  // namespace chrono

// Where no world is simulated too: what a process draws once, it must not draw from a world's dice.
random_device::result_type random_device::_M_getval() {
  static mt19937 outside(1);
  Kernel* const kernel = Kernel::current();
  if (kernel == nullptr) return static_cast<result_type>(outside());
  result_type value;
  kernel->random_bytes(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

}  // namespace std

extern "C" {

ssize_t getrandom(void* to, size_t size, unsigned flags) {
  if (Kernel* const kernel = Kernel::current()) {
    kernel->random_bytes(static_cast<char*>(to), size);
    return static_cast<ssize_t>(size);
  }
  static const auto call = next(&::getrandom, "getrandom");
  return call(to, size, flags);
}

// ---- what Asio waits with ----

int epoll_wait(int epoll, epoll_event* events, int room, int timeout) {
  Kernel* const kernel = Kernel::current();
  if (kernel) return kernel->epoll_wait(epoll, events, room, timeout);
  return einlass::whole::real::epoll_wait(epoll, events, room, timeout);
}

int timerfd_create(clockid_t clock, int flags) noexcept {
  if (Kernel* const kernel = Kernel::current()) return kernel->timerfd_create();
  static const auto call = next(&::timerfd_create, "timerfd_create");
  return call(clock, flags);
}

int timerfd_settime(int fd, int flags, const itimerspec* wanted, itimerspec* old) noexcept {
  Kernel* const kernel = Kernel::current();
  if (kernel && kernel->owns_timer(fd)) return kernel->timerfd_settime(fd, flags, *wanted);
  static const auto call = next(&::timerfd_settime, "timerfd_settime");
  return call(fd, flags, wanted, old);
}

// ---- other machines ----

int socket(int domain, int type, int protocol) noexcept {
  Kernel* const kernel = Kernel::current();
  if (kernel && domain == AF_INET) return kernel->socket(type);
  static const auto call = next(&::socket, "socket");
  return call(domain, type, protocol);
}

int close(int fd) {
  if (Kernel* const kernel = Kernel::current()) kernel->closes(fd);
  static const auto call = next(&::close, "close");
  return call(fd);
}

int connect(int fd, const sockaddr* address, socklen_t size) {
  Kernel* const kernel = Kernel::current();
  if (kernel && kernel->owns(fd) && address->sa_family == AF_INET) {
    return kernel->connect(fd, address);
  }
  static const auto call = next(&::connect, "connect");
  return call(fd, address, size);
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  if (Kernel* const kernel = Kernel::current()) kernel->writes(fd);
  static const auto call = next(&::send, "send");
  return call(fd, bytes, size, flags);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (Kernel* const kernel = Kernel::current()) kernel->writes(fd);
  static const auto call = next(&::sendmsg, "sendmsg");
  return call(fd, message, flags);
}

int shutdown(int fd, int how) noexcept {
  if (Kernel* const kernel = Kernel::current()) kernel->writes(fd);
  static const auto call = next(&::shutdown, "shutdown");
  return call(fd, how);
}

int getsockopt(int fd, int level, int name, void* value, socklen_t* size) noexcept {
  Kernel* const kernel = Kernel::current();
  if (kernel && kernel->owns(fd) && level == SOL_SOCKET && name == SO_ERROR) {
    *static_cast<int*>(value) = kernel->take_error(fd);
    *size = sizeof(int);
    return 0;
  }
  static const auto call = next(&::getsockopt, "getsockopt");
  return call(fd, level, name, value, size);
}

int setsockopt(int fd, int level, int name, const void* value, socklen_t size) noexcept {
  Kernel* const kernel = Kernel::current();
  if (kernel && kernel->owns(fd)) return 0;  // They only tune what is not there.
  static const auto call = next(&::setsockopt, "setsockopt");
  return call(fd, level, name, value, size);
}
}
