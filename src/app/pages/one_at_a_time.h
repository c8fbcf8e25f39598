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

  // Not more than `most` wait for their turn.
  OneAtATime(boost::asio::io_context& io, std::chrono::milliseconds pause, std::size_t most)
      : pause_(pause), most_(most), timer_(io) {}

  // Begins it now or when its turn comes, in the order in which they come. False, and it never
  // begins, where too many wait.
  bool take(Task task) {
    if (waiting_.size() >= most_) return false;
    waiting_.push_back(std::move(task));
    begin_next();
    return true;
  }

 private:
  void begin_next() {
    if (busy_ || waiting_.empty()) return;
    busy_ = true;
    const Task next = std::move(waiting_.front());
    waiting_.pop_front();
    next([this] {
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
  std::deque<Task> waiting_;
  bool busy_ = false;  // Somebody has the turn, or had it just now.
  boost::asio::steady_timer timer_;
};

}  // namespace einlass::app
