// Work that nobody is in a hurry for and that costs others time: never two at a time, and a pause
// behind each.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace einlass::app {

// REQUIRES: used on the thread that runs `io`; lives as long as that runs.
class OneAtATime {
 public:
  // Begins something, which says once that it has ended.
  using Task = std::function<void(std::function<void()> ended)>;

  // Not more than `most` wait for their turn, and none for longer than `longest`.
  OneAtATime(boost::asio::io_context& io, std::chrono::milliseconds pause, std::size_t most,
             std::chrono::milliseconds longest)
      : pause_(pause), most_(most), longest_(longest), timer_(io) {}

  // Begins it now or when its turn comes, in the order in which they come; `too_late` is called
  // then in its place, if it has waited too long. False, and neither is called, where too many
  // wait.
  bool take(Task task, std::function<void()> too_late) {
    if (waiting_.size() >= most_) return false;
    waiting_.push_back({std::move(task), std::move(too_late), SteadyClock::now()});
    begin_next();
    return true;
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  struct Waiting {
    Task task;
    std::function<void()> too_late;
    SteadyClock::time_point since;
  };

  void begin_next() {
    while (!busy_ && !waiting_.empty()) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      if (SteadyClock::now() - next.since > longest_) {
        next.too_late();
      } else {
        begin(next.task);
      }
    }
  }

  void begin(const Task& task) {
    busy_ = true;
    task([this] {
      timer_.expires_after(pause_);
      timer_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        busy_ = false;
        begin_next();
      });
    });
  }

  const std::chrono::milliseconds pause_;
  const std::size_t most_;
  const std::chrono::milliseconds longest_;
  std::deque<Waiting> waiting_;
  bool busy_ = false;  // Somebody has the turn, or had it just now.
  boost::asio::steady_timer timer_;
};

}  // namespace einlass::app
