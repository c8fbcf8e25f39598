#include "app/demo/demo.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "adapters/clock/clock.h"
#include "app/demo/demo_broker.h"
#include "app/demo/demo_receiver.h"
#include "app/demo/demo_screen.h"
#include "app/pages/admin.h"
#include "app/process/exit_codes.h"
#include "app/process/leaving.h"
#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "app/service/watchdog.h"
#include "app/setup/kafka_logins.h"
#include "app/shard/drain_signals.h"
#include "app/status/status.h"
#include "app/steering/steering.h"
#include "app/views/books.h"
#include "config/file/read_config.h"

namespace einlass::app {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr Duration kDrain = Duration::seconds(5);

// How much longer than producing it may take to deliver everything, in all.
constexpr int kMostTimes = 3;

std::string demo_yaml(const std::string& brokers, std::uint16_t port, int limit) {
  return "kafka:\n"
         "  brokers: [\"" +
         brokers +
         "\"]\n"
         "  group: einlass-demo\n"
         "  static_membership: false\n"
         "  properties: {session.timeout.ms: 6000}\n"
         "limits:\n"
         "  callbacks: {algorithm: sliding_log, limit: " +
         std::to_string(limit) +
         ", window: 1s, store: memory}\n"
         "targets:\n"
         "  receiver: {http: {url: \"http://127.0.0.1:" +
         std::to_string(port) +
         "/callback\"}}\n"
         "routes:\n"
         "  - {name: results, topics: [results], target: receiver, limits: [callbacks]}\n";
}

// With the live page on a port that is free.
std::shared_ptr<const config::Config> demo_config(const std::string& yaml) {
  auto read = config::parse_config(yaml, "demo", [](const std::string&) { return std::nullopt; });
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) {
    throw std::runtime_error(mistakes->front().to_string());
  }
  auto config = std::get<config::Config>(std::move(read));
  config.admin.listen = {"127.0.0.1", 0};
  return std::make_shared<const config::Config>(std::move(config));
}

// A whole gate, as `einlass run` makes it, but for the log and for what reads its file again.
class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options),
        broker_(io_, options),
        receiver_(io_),
        yaml_(demo_yaml(broker_.address(), receiver_.port(), options.limit)),
        config_(demo_config(yaml_)),
        logins_(io_, *config_, notify()),
        shards_(io_, *config_, logins_, clock_, notify(), [this](bool drained) { ended(drained); }),
        watchdog_(io_, Duration{}, loops_of(shards_, watchdog_), {ignored, ignored, ignored}),
        reload_("", config_, shards_, clock_, notify(), [](const auto&, const auto&) {}),
        steering_(io_, *config_, shards_.values(), shards_.weights(), clock_,
                  {notify(), [](const Pauses&) {}, [this] { shards_.start(); }}),
        admin_(io_, shards_, watchdog_, reload_, steering_, recent_, clock_, notify()),
        screen_(isatty(STDOUT_FILENO) == 1),
        redraw_(io_),
        signals_(io_, print_error, "the demo did not end"),
        started_(clock_.now()) {}

  int run() {
    std::printf("This is the configuration:\n\n%s\n", yaml_.c_str());
    std::printf("%ld records come in faster than %d a second; no second may let more pass.\n",
                broker_.planned(), options_.limit);
    std::printf("Half way, the receiver asks for a pause of a second (503 with Retry-After).\n");
    std::printf("The live page, while this runs: http://127.0.0.1:%d/\n\n", admin_.port());
    std::fflush(stdout);
    signals_.wait([this] { return end(); });
    logins_.start();
    steering_.start([](FleetTable::Listener&) { return nullptr; });  // Never called: no quotas.
    turn();
    while (!code_) io_.run_one();
    return *code_;
  }

  void end_broker() { broker_.end(); }

 private:
  static void ignored(const std::string&) {}

  // At once: the process may be at its end.
  static void print_error(const Notice& notice) {
    if (notice.severity != Severity::error) return;
    std::fprintf(stderr, "einlass: demo: %s\n", notice.detail.c_str());
  }

  // May be called from any thread.
  Notify notify() {
    return [this](const Notice& notice) {
      if (notice.severity != Severity::debug) recent_.add(notice, clock_.now());
      if (notice.severity != Severity::error) return;
      boost::asio::post(io_, [this, detail = notice.detail] { trouble_ = detail; });
    };
  }

  DemoView shown(const Views& views) const {
    const metrics::Snapshot sum = sum_of(views);
    DemoView view;
    view.seconds = static_cast<double>((clock_.now() - started_).us) / 1e6;
    view.produced = broker_.produced();
    view.books = books_of(sum);
    if (!sum.routes.empty()) view.waiting = sum.routes[0].waiting;
    view.seen = receiver_.seen();
    view.limit = options_.limit;
    view.interrupted = signals_.came();
    const auto& shard = views.shards[0];
    view.held = shard && shard->targets[0].held_until > shard->now;
    return view;
  }

  void turn() {
    shards_.view([this](const Views& views) {
      if (code_) return;
      look(shown(views));
      redraw_.expires_after(kRedraw);
      redraw_.async_wait([this](const boost::system::error_code& error) {
        if (!error) turn();
      });
    });
  }

  void look(const DemoView& now) {
    screen_.draw(now);
    // Once, half way: the gate must hold everything back for a second.
    if (!was_busy_ && now.seconds > options_.seconds / 2.0) {
      was_busy_ = true;
      receiver_.be_busy_once();
    }
    const bool all_delivered = broker_.finished() && now.books.inside == 0 &&
                               static_cast<long>(now.books.delivered) == now.produced;
    if (all_delivered || now.seconds > kMostTimes * options_.seconds + 10) end();
  }

  Duration end() {
    if (!ending_) shards_.stop(kDrain);
    ending_ = true;
    return kDrain;
  }

  // All shards have.
  void ended(bool drained) {
    shards_.view([this, drained](const Views& views) {
      const DemoView last = shown(views);
      screen_.draw(last);
      if (!trouble_.empty()) std::printf("\nTrouble on the way: %s\n", trouble_.c_str());
      code_ = print_demo_books(last) && drained ? kExitDone : kExitFailed;
    });
  }

  const DemoOptions options_;
  const Clock clock_;
  boost::asio::io_context io_{1};
  DemoBroker broker_;
  DemoReceiver receiver_;
  const std::string yaml_;
  const std::shared_ptr<const config::Config> config_;
  Recent recent_;
  KafkaLogins logins_;
  Shards shards_;
  Watchdog watchdog_;
  Reload reload_;
  Steering steering_;
  Admin admin_;
  DemoScreen screen_;
  boost::asio::steady_timer redraw_;
  DrainSignals signals_;
  const Instant started_;
  std::string trouble_;
  bool was_busy_ = false;
  bool ending_ = false;
  std::optional<int> code_;
};

}  // namespace

void demo(const DemoOptions& options) {
  try {
    auto* show = new Demo(options);  // Never destroyed: only the broker's process must go.
    const int code = show->run();
    show->end_broker();
    leave(code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: the demo cannot start: %s\n", error.what());
    leave(kExitFailed);
  }
}

}  // namespace einlass::app
