// Ends things that take too long. All of one Deadlines have the same timeout, so they come due in
// the order in which they were started: a list and one timer are enough.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <memory>

#include "units/time.h"

namespace einlass::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// Something that must end in time. May be destroyed at any moment: it then takes itself off the
// list.
class Timed : public boost::intrusive::list_base_hook<
                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  // It took too long. Called once for each start; then it is no longer watched.
  virtual void expired() = 0;

  // Does nothing if it is not watched.
  void stop_watch() {
    if (is_linked()) unlink();
  }

 protected:
  ~Timed() = default;

 private:
  friend class Deadlines;
  SteadyTime due_;
};

// REQUIRES: outlived by `io`; used on the thread that runs it.
class Deadlines {
 public:
  Deadlines(boost::asio::io_context& io, Duration timeout);
  ~Deadlines() = default;
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // Watches it, from now on anew if it was watched before.
  void start(Timed& timed, SteadyTime now = std::chrono::steady_clock::now());

  // The one that was started first expires now; does nothing if none is watched.
  void expire_first();

  // From here on `to` is watched instead of `from`, for the rest of its time.
  // REQUIRES: `from` is watched, and `to` is not.
  void hand_over(Timed& from, Timed& to);

 private:
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>,
                                        boost::asio::io_context::executor_type>;

  void arm();
  void expire();

  boost::intrusive::list<Timed, boost::intrusive::constant_time_size<false>> watched_;
  std::chrono::microseconds timeout_;
  bool armed_ = false;
  Timer timer_;
  std::shared_ptr<const int> alive_ = std::make_shared<int>(0);  // A late timer finds it gone.
};

}  // namespace einlass::http
