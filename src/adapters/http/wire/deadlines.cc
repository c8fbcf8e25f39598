#include "adapters/http/wire/deadlines.h"

namespace einlass::http {

Deadlines::Deadlines(boost::asio::io_context& io, Duration timeout)
    : timeout_{timeout.us}, timer_{io.get_executor()} {}

void Deadlines::start(Timed& timed, SteadyTime now) {
  timed.stop_watch();
  timed.due_ = now + timeout_;
  watched_.push_back(timed);
  if (!armed_) arm();
}

void Deadlines::hand_over(Timed& from, Timed& to) {
  to.due_ = from.due_;
  watched_.insert(watched_.iterator_to(from), to);
  from.stop_watch();
}

void Deadlines::expire_first() {
  if (watched_.empty()) return;
  Timed& first = watched_.front();
  watched_.pop_front();
  first.expired();
}

void Deadlines::arm() {
  armed_ = true;
  timer_.expires_at(watched_.front().due_);
  timer_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code) {
    if (!alive.expired()) expire();
  });
}

// The timer is set for whatever was first at the time; by now that has usually ended.
void Deadlines::expire() {
  armed_ = false;
  const auto now = std::chrono::steady_clock::now();
  while (!watched_.empty() && watched_.front().due_ <= now) {
    expire_first();
  }
  if (!watched_.empty() && !armed_) arm();
}

}  // namespace einlass::http
