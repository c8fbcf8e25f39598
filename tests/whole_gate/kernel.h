// The system under a gate: time, random bytes, and connections, for one thread.
//
// The program under test calls the system as ever, through its own libraries. The calls that say
// what time it is, wait, or reach another machine are answered here (system_calls.cc): time goes on
// when the program waits, to where the next thing happens. Bytes go through real socket pairs, so
// that readiness, full buffers and closed ends are the system's own; what lies between their ends
// is a Wire. Nothing is left to chance but what the dice say, so that a seed is the same run each
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct epoll_event;
struct itimerspec;
struct sockaddr;

namespace einlass::whole {

class Wire;

using Micros = std::int64_t;  // A length, or an instant since 1970.
inline constexpr Micros kSecond = 1'000'000;

// The program waits, and nothing will ever happen; or it never waits.
struct Lost : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Endpoint {
  std::string host;  // An IPv4 address.
  std::uint16_t port = 0;
  auto operator<=>(const Endpoint&) const = default;
};

// What becomes of an attempt to connect.
struct Welcome {
  enum class Kind : std::uint8_t { accepted, refused, silent } kind = Kind::accepted;
  Micros after = 0;
};

// What a connection leads to.
struct Listener {
  virtual ~Listener() = default;
  virtual Welcome welcome() = 0;
  virtual void accepted(const std::shared_ptr<Wire>& wire) = 0;
};

// REQUIRES: one at a time.
class Kernel {
 public:
  explicit Kernel(std::uint64_t seed);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Null where no world is simulated: then the system answers.
  static Kernel* current();

  Micros now() const { return nanos_ / 1'000; }
  std::int64_t look_at_clock();  // In nanoseconds. To look takes a little time.

  // Thrown out of the program's wait is whatever `what` throws.
  void at(Micros when, std::function<void()> what);
  void after(Micros delay, std::function<void()> what) { at(now() + delay, std::move(what)); }

  // REQUIRES: the listener lives as long as wires are made.
  void listen(const Endpoint& endpoint, Listener& listener) { listeners_[endpoint] = &listener; }

  // A number from 0 to `end` - 1; true once in `n` times.
  std::uint64_t dice(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t n) { return dice(n) == 0; }
  Micros between(Micros least, Micros most) {
    return least + static_cast<Micros>(dice(static_cast<std::uint64_t>(most - least) + 1));
  }

  // What happens adds up to a number, which is the same for each run of a seed.
  void trace(const std::string& line);
  std::uint64_t hash() const { return hash_; }
  void be_verbose() { verbose_ = true; }

  // Sockets that the program has not closed.
  std::size_t open_sockets() const { return wires_.size(); }

  // ---- the system calls: as the system would answer them, with errno ----
  bool owns(int fd) const { return wires_.contains(fd); }
  int socket(int type);
  int connect(int fd, const sockaddr* address);
  int take_error(int fd);  // Of an attempt to connect; 0: it is connected.
  int epoll_wait(int epoll, epoll_event* events, int room, int timeout);
  int timerfd_create();
  bool owns_timer(int fd) const { return timers_.contains(fd); }
  int timerfd_settime(int fd, int flags, const itimerspec& wanted);
  void writes(int fd);
  void closes(int fd);
  void random_bytes(char* to, std::size_t size);

 private:
  static constexpr std::int64_t kNever = INT64_MAX;

  bool go_on();
  void carry_bytes();
  void fire_timers();
  std::int64_t next_timer() const;

  std::mt19937_64 random_;
  std::mt19937_64 of_program_;  // What the program draws.
  std::int64_t nanos_;
  std::map<std::pair<Micros, std::uint64_t>, std::function<void()>> events_;  // By time, in order.
  std::uint64_t events_made_ = 0;
  std::map<Endpoint, Listener*> listeners_;
  std::map<int, std::shared_ptr<Wire>> wires_;  // By the program's end.
  std::vector<std::shared_ptr<Wire>> written_;  // To, or closed, since the program waited last.
  std::uint64_t wires_made_ = 0;
  std::map<int, std::int64_t> timers_;  // When each is due, in nanoseconds.
  int looks_without_waiting_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325u;
  bool verbose_ = false;
};

}  // namespace einlass::whole
