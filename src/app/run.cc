#include "app/run.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include "adapters/clock/clock.h"
#include "adapters/log/log.h"
#include "app/admin.h"
#include "app/command_line.h"
#include "app/recent.h"
#include "app/shard.h"
#include "app/status.h"

namespace einlass::app {
namespace {

// Beyond the drain itself: for the last commit and for leaving the group.
constexpr Duration kLeavePatience = Duration::seconds(10);

// One running gate and what stands around it: its log, its signals, its admin pages.
class Service {
 public:
  explicit Service(const config::Config& config)
      : config_(config),
        log_(log::severity_named(config.log_level).value_or(Severity::info), config.instance),
        shard_(io_, config, clock_, [this](const Notice& notice) { tell(notice); }),
        admin_(io_, config, shard_, recent_),
        signals_(io_, SIGTERM, SIGINT),
        last_moment_(io_),
        log_tick_(io_) {}

  int run() {
    tell({Severity::info, "started",
          "version " EINLASS_VERSION ", admin pages on http://" + config_.admin.host + ":" +
              std::to_string(admin_.port())});
    wait_for_signal();
    const bool drained = shard_.run([this](Instant now) { log_what_is_due(now); });
    const Books books = books_of(shard_, config_);
    tell({drained ? Severity::info : Severity::error, drained ? "stopped" : "failed",
          "received " + std::to_string(books.received) + ", delivered " +
              std::to_string(books.delivered) + ", dead-lettered " +
              std::to_string(books.dead_lettered) + ", returned " + std::to_string(books.returned) +
              ", inside " + std::to_string(books.inside)});
    return drained ? kExitDone : kExitFailed;
  }

 private:
  void tell(const Notice& notice) {
    const Instant now = clock_.now();
    recent_.add(notice, now);
    log_.write(notice, now);
  }

  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (stopping_) _exit(128 + signal);
      stopping_ = true;
      tell({Severity::info, "draining",
            "signal " + std::to_string(signal) + "; a second one leaves at once"});
      shard_.stop(config_.drain_timeout);
      const Duration patience = config_.drain_timeout + kLeavePatience;
      last_moment_.expires_after(std::chrono::microseconds(patience.us));
      last_moment_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        tell({Severity::error, "drain_timeout",
              "could not commit and leave in time; what was delivered since the last commit will "
              "be delivered again"});
        _exit(1);
      });
      wait_for_signal();
    });
  }

  // Counts that the log holds back come out even while nothing else happens.
  void log_what_is_due(Instant now) {
    log_.tick(now);
    const Instant next = log_.next_tick();
    if (next == kNever || next == log_tick_at_) return;
    log_tick_at_ = next;
    log_tick_.expires_at(clock_.steady(next));
    log_tick_.async_wait([](const boost::system::error_code&) {});
  }

  const config::Config& config_;
  Clock clock_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  Recent recent_;
  log::Log log_;
  Shard shard_;
  Admin admin_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer last_moment_;
  boost::asio::steady_timer log_tick_;
  Instant log_tick_at_ = kNever;
  bool stopping_ = false;
};

}  // namespace

int run(const config::Config& config) {
  try {
    Service service(config);
    const int code = service.run();
    // librdkafka's own teardown can hang after a topic was deleted; all that matters is done.
    std::fflush(nullptr);
    _exit(code);
  } catch (const ConfigRefused& refused) {
    std::fprintf(stderr, "einlass: the configuration cannot be used: %s\n", refused.what());
    return kExitConfig;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: %s\n", error.what());
    return kExitFailed;
  }
}

}  // namespace einlass::app
