// A connection between the gate and a simulated server: bytes both ways, late, in pieces, or cut.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "whole_gate/kernel.h"

namespace einlass::whole {

// The server's side of a connection.
struct Peer {
  virtual ~Peer() = default;
  virtual void received(std::string_view bytes) = 0;
};

// How bytes travel: how late the first piece of several comes, how long after it each of the
// others, and how long pieces are at most.
struct Weather {
  Micros least_delay = 100;
  Micros most_delay = 2'000;
  Micros most_gap = 0;
  std::size_t longest_piece = 1'000'000;
};

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  Wire(Kernel& kernel, std::uint64_t number, int gate_end, int server_end)
      : kernel_(kernel), number_(number), gate_end_(gate_end), server_end_(server_end) {}
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  std::uint64_t number() const { return number_; }
  bool is_open() const { return server_end_ >= 0; }

  // One of the two has said that it is over: the gate has closed its end, or will find it closed.
  bool is_ending() const { return ending_ || !is_open(); }

  void set_weather(const Weather& weather) { weather_ = weather; }
  void attach(std::unique_ptr<Peer> peer) { peer_ = std::move(peer); }

  // To the gate. Lost where the wire is cut before it arrives.
  void say(std::string_view bytes);

  // Called once the gate's end has all that was said so far; never, if the wire is cut before.
  void when_arrived(std::function<void()> then);

  // Nothing is on its way, and nothing is held up.
  bool is_quiet() const {
    return up_.pieces.empty() && down_.pieces.empty() && stalled_until_ <= kernel_.now();
  }

  // Nothing moves before that, but what was on its way when the gate closed its end.
  void stall_until(Micros when) { stalled_until_ = when; }

  // From here on it is a good one.
  void heal() {
    weather_ = {};
    stalled_until_ = 0;
  }

  // What is on its way is lost, and the gate sees an end.
  void cut();

  // The same, after what was said.
  void finish();

  // ---- for the kernel ----
  // An attempt to connect that lasts: the gate cannot write before it has ended, with that error or
  // 0.
  void begin_connecting();
  void end_connecting(int error);
  int take_error();

  void gate_closes() {
    connecting_ = false;
    ending_ = true;
  }
  void carry();  // Takes what the gate has written, or sees that it has closed.

 private:
  struct Way {
    std::deque<std::string> pieces;  // An empty one is the end.
    bool moving = false;             // The first one's arrival is arranged.
  };

  void put(Way& way, std::string_view bytes);
  void move(Way& way, Micros delay);
  void move_on(Way& way);
  bool arrive(Way& way);
  bool push_out(std::string& piece);
  void close_server_end();
  Micros delay() { return kernel_.between(weather_.least_delay, weather_.most_delay); }

  Kernel& kernel_;
  const std::uint64_t number_;
  int gate_end_, server_end_;
  Weather weather_;
  std::unique_ptr<Peer> peer_;
  Way up_, down_;
  Micros stalled_until_ = 0;
  std::uint64_t said_ = 0, arrived_ = 0;  // Bytes.
  std::deque<std::pair<std::uint64_t, std::function<void()>>>
      awaited_;  // By what must have arrived.
  bool connecting_ = false;
  bool ending_ = false;
  int error_ = 0;
};

}  // namespace einlass::whole
