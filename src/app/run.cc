#include "app/run.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/clock/clock.h"
#include "adapters/log/log.h"
#include "adapters/redis/nodes/eviction.h"
#include "app/pages/admin.h"
#include "app/process/exit_codes.h"
#include "app/process/leaving.h"
#include "app/service/file_watch.h"
#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "app/service/supervisor.h"
#include "app/service/watchdog.h"
#include "app/setup/clear_text.h"
#include "app/setup/config_refused.h"
#include "app/setup/kafka_logins.h"
#include "app/setup/refused.h"
#include "app/setup/wiring.h"
#include "app/shard/drain_signals.h"
#include "app/status/status.h"
#include "app/steering/make_table.h"
#include "app/steering/steering.h"
#include "app/views/books.h"
#include "config/file/located.h"
#include "config/file/warnings.h"
#include "config/model/address.h"

namespace einlass::app {
namespace {

// What the service manager allows beyond a drain, so that the reason is said by us before it acts.
constexpr Duration kLastWords = Duration::seconds(5);

constexpr std::chrono::milliseconds kLogTick{250};

// One running gate: its shards on their threads; and on this one what stands around them: the log,
// signals, admin pages, and the watch over the loops.
class Service {
 public:
  Service(const std::string& path, const config::Config& config,
          const std::optional<net::FileMark>& watched)
      : path_(path),
        log_(process_options(config).least, process_options(config).format,
             process_options(config).instance),
        logins_(io_, config, [this](const Notice& notice) { tell(notice); }),
        shards_(
            io_, config, logins_, clock_, [this](const Notice& notice) { tell(notice); },
            [this](bool drained) { end(drained); }),
        watchdog_(io_, process_options(config).watchdog, loops_of(shards_, watchdog_),
                  told_by_watchdog()),
        reload_(
            path, std::make_shared<const config::Config>(config), shards_, clock_,
            [this](const Notice& notice) { tell(notice); },
            [this](const config::Config& changed, const config::Config& as_written) {
              apply(changed);
              tell_what_is_seldom_meant(as_written);
            }),
        steering_(io_, config, shards_.values(), shards_.weights(), clock_, told_by_steering()),
        admin_(io_, shards_, watchdog_, reload_, steering_, recent_, clock_,
               [this](const Notice& notice) { tell(notice); }),
        signals_(
            io_, [this](const Notice& notice) { tell(notice); },
            "could not commit and leave in time; what was delivered since the last commit will be "
            "delivered again"),
        hang_up_(io_, SIGHUP),
        log_tick_(io_),
        alive_(io_) {
    signals_.wait([this] { return drain(); });
    if (watched) watch_.emplace(io_, path, *watched, [this] { reload(); });
  }

  int run() {
    const config::Admin& admin = reload_.config().admin;
    tell({Severity::info, "started",
          "version " EINLASS_VERSION ", admin pages on " +
              std::string(admin.tls ? "https" : "http") + "://" +
              to_text(config::HostPort{admin.listen.host, admin_.port()})});
    tell_what_is_open(reload_.config());
    tell_what_is_seldom_meant(reload_.config());
    watch_for_eviction(reload_.config());
    wait_for_hang_up();
    tick_log();
    logins_.start();
    steering_.start([this](FleetTable::Listener& listener) {
      return make_table(io_, reload_.config(), logins_, listener,
                        [this](const Notice& notice) { tell(notice); });
    });
    // Started it has, whenever Kafka or Redis come back with the table.
    if (!shards_.started()) supervisor_.ready(standing());
    tell_alive();
    while (!code_) io_.run_one();
    log_.flush();
    return *code_;
  }

 private:
  // May be called from any thread.
  void tell(const Notice& notice) {
    const Instant now = clock_.now();
    if (notice.severity != Severity::debug) recent_.add(notice, now);
    log_.write(notice, now);
  }

  void wait_for_hang_up() {
    hang_up_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      reload();
      wait_for_hang_up();
    });
  }

  // For `systemctl status`.
  std::string standing() const {
    if (!refusal_.empty()) return "reload refused: " + refusal_;
    return shards_.started() ? "running" : "waiting for the table of quotas and pauses";
  }

  // Nobody waits for an answer: what came of it is in the log.
  void reload() {
    if (!signals_.came()) supervisor_.reloading();
    reload_.begin_in_turn([this](const Reload::Outcome& outcome) {
      if (signals_.came()) return;
      refusal_ = outcome.status == 200 ? "" : outcome.text;
      supervisor_.ready(standing());
    });
  }

  // That this thread turns. Whether the shards' loops do, the watchdog looks after.
  void tell_alive() {
    const auto period = supervisor_.watchdog_period();
    if (!period) return;
    supervisor_.alive();
    alive_.expires_after(std::chrono::microseconds(period->us));
    alive_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tell_alive();
    });
  }

  // Quotas and pauses hold from the first record on: the shards start when they are known.
  Steering::Callbacks told_by_steering() {
    return {.notify = [this](const Notice& notice) { tell(notice); },
            .paused = [this](const Pauses& pauses) { shards_.pause(pauses); },
            .ready =
                [this] {
                  if (signals_.came()) return;
                  shards_.start();
                  supervisor_.ready(standing());
                }};
  }

  // What stands around the shards takes of a new configuration.
  void apply(const config::Config& config) {
    log_.set(process_options(config).least, process_options(config).format);
    watchdog_.set_patience(process_options(config).watchdog);
    steering_.reconfigure(config);
    admin_.apply(config.admin);
    tell_what_is_open(config);
    if (!std::exchange(refusal_, "").empty()) supervisor_.status(standing());
  }

  // What others may do or read along, once, and again when it has changed.
  void tell_what_is_open(const config::Config& config) {
    const std::string door = std::exchange(open_door_, open_door(config.admin));
    if (!open_door_.empty() && open_door_ != door) {
      tell({Severity::warning, "admin_open", open_door_});
    }
    const std::string redis = std::exchange(open_redis_, redis_in_the_clear(config));
    if (!open_redis_.empty() && open_redis_ != redis) {
      tell({Severity::warning, "redis_in_the_clear", open_redis_});
    }
  }

  // Each once for as long as it stands there.
  void tell_what_is_seldom_meant(const config::Config& config) {
    std::vector<std::string> now = config::warnings(config, path_);
    for (const std::string& one : now) {
      if (std::ranges::find(warned_, one) == warned_.end()) {
        tell({Severity::warning, "config_seldom_meant", one});
      }
    }
    warned_ = std::move(now);
  }

  // Once a process: no reload changes where Redis is.
  void watch_for_eviction(const config::Config& config) {
    if (!needs_redis(config)) return;
    eviction_.emplace(io_, redis_options(config, random_run_id()), [this](const std::string& why) {
      if (!why.empty()) tell({Severity::warning, "redis_evicts", why});
    });
  }

  Duration drain() {
    const Duration drain_timeout = process_options(reload_.config()).drain_timeout;
    shards_.stop(drain_timeout);
    if (!shards_.started()) shards_.start();  // To leave: what was posted before comes first.
    supervisor_.stopping(drain_timeout + DrainSignals::kLeavePatience + kLastWords);
    return drain_timeout;
  }

  // All shards have ended.
  void end(bool drained) {
    shards_.view([this, drained](const Views& views) {
      const Books books = books_of(sum_of(views));
      tell({drained ? Severity::info : Severity::error, drained ? "stopped" : "failed",
            "received " + std::to_string(books.received) + ", delivered " +
                std::to_string(books.delivered) + ", dead-lettered " +
                std::to_string(books.dead_lettered) + ", returned " +
                std::to_string(books.returned) + ", filtered " + std::to_string(books.filtered) +
                ", inside " + std::to_string(books.inside)});
      code_ = drained ? kExitDone : kExitFailed;
    });
  }

  Watchdog::Callbacks told_by_watchdog() {
    return {
        .unusual =
            [this](const std::string& text) {
              tell({Severity::error, "loop_stuck", text});
            },
        .slow =
            [this](const std::string& text) {
              tell({Severity::error, "loop_slow", text});
            },
        .over =
            [this](const std::string& text) {
              tell({Severity::error, "watchdog",
                    text + ", so the process ends; what was delivered since the last commit will "
                           "be delivered again"});
              log_.flush();
              _exit(kExitFailed);
            }};
  }

  // Counts that the log holds back come out even while nothing else happens.
  void tick_log() {
    log_.tick(clock_.now());
    log_tick_.expires_after(kLogTick);
    log_tick_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tick_log();
    });
  }

  const Clock clock_;
  const std::string path_;
  std::optional<redis::Eviction> eviction_;
  std::string open_door_, open_redis_;  // As was told.
  std::vector<std::string> warned_;     // As well.
  std::string refusal_;                 // Of a reload by a signal, until one is taken.
  boost::asio::io_context io_{1};
  Recent recent_;
  log::Log log_;
  KafkaLogins logins_;
  Shards shards_;
  Watchdog watchdog_;
  Reload reload_;
  Steering steering_;
  Admin admin_;
  DrainSignals signals_;
  boost::asio::signal_set hang_up_;
  std::optional<FileWatch> watch_;
  boost::asio::steady_timer log_tick_;
  boost::asio::steady_timer alive_;
  const Supervisor supervisor_;
  std::optional<int> code_;
};

// Signals that come before somebody takes them: one would end the process without a word, or, sent
// to the first process of a container, be lost.
class SignalsWait {
 public:
  SignalsWait() {
    sigemptyset(&signals_);
    for (const int one : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&signals_, one);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void end() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_;
};

}  // namespace

void run(const std::string& path, const config::Config& config,
         const std::optional<net::FileMark>& watched) {
  int code = kExitFailed;
  const SignalsWait early;
  try {
    if (const std::string why = refused_login(config); !why.empty()) throw ConfigRefused(why);
    if (const std::string why = refused_files(config); !why.empty()) throw ConfigRefused(why);
    Service service(path, config, watched);
    early.end();
    try {
      code = service.run();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "einlass: %s\n", error.what());
    }
    leave(code);  // Here: shards may be running, whose end would be waited for.
  } catch (const ConfigRefused& refused) {
    std::fprintf(stderr, "%s\n", config::located(config, path, refused.what()).c_str());
    code = kExitConfig;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: %s\n", error.what());
  }
  leave(code);
}

}  // namespace einlass::app
