// Watches over loops that must turn: calls each again and again, and counts how long it is silent.
//
// A loop that has nothing to do answers too, for it is woken by the call. What counts is the time
// in which the watchdog itself was there to listen: when the whole process is stopped, or the
// machine sleeps, nobody has been silent. One that turns, but slowly, is told too.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app/shard/loop_phase.h"
#include "units/time.h"

namespace einlass::app {

// REQUIRES: used on the thread that runs `io`; outlived by it.
class Watchdog {
 public:
  // A silence that is told: from here on the process is not healthy.
  static constexpr Duration kUnusual = Duration::seconds(5);
  static constexpr Duration kLeaving = Duration::seconds(15);  // The same for who leaves the group.
  static constexpr Duration kPeriod = Duration::millis(500);

  // What it watches over, by number.
  struct Loops {
    int count = 0;
    // Has the loop call heard() with its number, on this thread.
    std::function<void(int loop)> call;
    std::function<bool(int loop)> ended;  // Or not begun: it need not turn.
    std::function<LoopPhase(int loop)> phase;
    std::function<Duration(int loop)> slow;  // How long its turns take, where that is too long.
  };

  // `unusual` is called once for each silence; `over` once it has lasted `patience`, if that is not
  // 0, and again at each look while it lasts, for it is to end the process. `text` says which loop,
  // for how long, and in which phase. `slow` is called as slow turns begin.
  struct Callbacks {
    std::function<void(const std::string& text)> unusual;
    std::function<void(const std::string& text)> slow;
    std::function<void(const std::string& text)> over;
  };

  Watchdog(boost::asio::io_context& io, Duration patience, Loops loops, Callbacks callbacks);

  void heard(int loop);
  void set_patience(Duration patience) { patience_ = patience; }

  // Why the process is not healthy; empty if it is.
  std::string trouble() const;

  // Which loop turns slowly; empty if none does. That is no reason to end the process.
  std::string slowness() const;

  // For whoever shows one loop: its silence or slowness as text; empty if there is none.
  std::string trouble(int loop) const;

 private:
  struct Watched {
    bool called = false;  // And not heard of since.
    Duration silent;
    bool told = false;
  };

  void look();
  void count(int loop, Duration passed);
  bool is_silent(int loop) const;
  std::string name(int loop) const;
  std::string text(int loop) const;
  std::string slow_text(int loop) const;
  void look_at_turns(int loop);
  Duration patience_of(int loop) const;
  Duration unusual(int loop) const;

  Duration patience_;
  const Loops loops_;
  const Callbacks callbacks_;
  std::vector<Watched> watched_;
  std::vector<bool> told_slow_;  // By loop: since it turns slowly.
  boost::asio::steady_timer timer_;
  std::chrono::steady_clock::time_point looked_;
};

// The shards' loops, for the one that watches over them. REQUIRES: outlived by both, and called on
// the main thread.
class Shards;
Watchdog::Loops loops_of(Shards& shards, Watchdog& watchdog);

}  // namespace einlass::app
