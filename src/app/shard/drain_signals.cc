#include "app/shard/drain_signals.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "app/process/exit_codes.h"

namespace einlass::app {

DrainSignals::DrainSignals(boost::asio::io_context& io, Notify notify, std::string late)
    : notify_(std::move(notify)), late_(std::move(late)), signals_(io), last_moment_(io) {}

void DrainSignals::wait(Drain drain) {
  drain_ = std::move(drain);
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  next();
}

void DrainSignals::next() {
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (!came_) {
      begin(signal);
    } else if (std::chrono::steady_clock::now() - came_at_ >
               std::chrono::microseconds(kTogether.us)) {
      _exit(128 + signal);
    }
    next();
  });
}

void DrainSignals::begin(int signal) {
  came_ = true;
  came_at_ = std::chrono::steady_clock::now();
  notify_({Severity::info, "draining",
           "signal " + std::to_string(signal) + "; a second one leaves at once"});
  const Duration patience = drain_() + kLeavePatience;
  last_moment_.expires_after(std::chrono::microseconds(patience.us));
  last_moment_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    notify_({Severity::error, "drain_timeout", late_});
    _exit(kExitFailed);
  });
}

}  // namespace einlass::app
