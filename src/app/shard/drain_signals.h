// The end by SIGTERM or SIGINT: the first one drains. A second one ends the process at once, and so
// does a drain that takes too long. What comes together with the first one is no second: the
// terminal signals a whole group, which a parent may hand on, and timeout(1) signals twice.
// REQUIRES: used on the thread that runs its io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

class DrainSignals {
 public:
  // Beyond the drain itself: for the last commit (3 s), leaving the group (5 s), and the last spans
  // (2 s); and something to spare, for the end is told by us before this is over.
  static constexpr Duration kLeavePatience = Duration::seconds(12);

  static constexpr Duration kTogether = Duration::millis(250);

  // Begins the drain, and says how long it may take.
  using Drain = std::function<Duration()>;

  // `late` is what is said of a drain that did not come to its end in time. Says "draining" and
  // "drain_timeout" to `notify`. REQUIRES: outlived by `io`.
  DrainSignals(boost::asio::io_context& io, Notify notify, std::string late);

  // Takes the two signals: until then they do what they did before. `drain` is called once, by
  // `io`. REQUIRES: called once.
  void wait(Drain drain);

  // The first one came.
  bool came() const { return came_; }

 private:
  void next();
  void begin(int signal);

  const Notify notify_;
  const std::string late_;
  Drain drain_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer last_moment_;
  bool came_ = false;
  std::chrono::steady_clock::time_point came_at_;
};

}  // namespace einlass::app
