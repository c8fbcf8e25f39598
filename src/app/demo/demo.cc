#include "app/demo/demo.h"

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <variant>

#include "adapters/clock/clock.h"
#include "app/demo/demo_broker.h"
#include "app/demo/demo_receiver.h"
#include "app/demo/demo_screen.h"
#include "app/permits/process_limits.h"
#include "app/setup/exit_codes.h"
#include "app/shard/drain_signals.h"
#include "app/shard/shard.h"
#include "app/views/books.h"
#include "config/read_config.h"

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

config::Config demo_config(const std::string& yaml) {
  auto read = config::parse_config(yaml, "demo", [](const std::string&) { return std::nullopt; });
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) {
    throw std::runtime_error(mistakes->front().to_string());
  }
  return std::get<config::Config>(std::move(read));
}

class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options),
        broker_(io_, options),
        receiver_(io_),
        yaml_(demo_yaml(broker_.address(), receiver_.port(), options.limit)),
        config_(demo_config(yaml_)),
        limits_(config_),
        logins_(io_, config_, [this](const Notice& notice) { remember(notice); }),
        shard_(io_, ShardPlace{}, config_, limits_, logins_, clock_,
               [this](const Notice& notice) { remember(notice); }),
        screen_(isatty(STDOUT_FILENO) == 1),
        redraw_(io_),
        signals_(
            io_, [this](const Notice& notice) { remember(notice); }, "the demo did not end"),
        started_(clock_.now()) {}

  int run() {
    std::printf("This is the configuration:\n\n%s\n", yaml_.c_str());
    std::printf("%ld records come in faster than %d a second; no second may let more pass.\n\n",
                broker_.planned(), options_.limit);
    signals_.wait([this] { return end(); });
    turn();
    const bool drained = shard_.run();
    const DemoView last = view();
    screen_.draw(last);
    if (!trouble_.empty()) std::printf("\nTrouble on the way: %s\n", trouble_.c_str());
    return print_demo_books(last) && drained ? kExitDone : kExitFailed;
  }

  void end_broker() { broker_.end(); }

 private:
  void remember(const Notice& notice) {
    if (notice.severity == Severity::error) trouble_ = notice.detail;
  }

  double seconds() const { return static_cast<double>((clock_.now() - started_).us) / 1e6; }

  DemoView view() const {
    DemoView view;
    view.seconds = seconds();
    view.produced = broker_.produced();
    view.books = books_of(shard_, config_);
    view.waiting = shard_.gate().waiting(shard_.now())[0];
    view.seen = receiver_.seen();
    view.limit = options_.limit;
    view.interrupted = signals_.came();
    view.held = shard_.gate().held_until(core::TargetId{0}) > shard_.now();
    return view;
  }

  void turn() {
    const DemoView now = view();
    screen_.draw(now);
    // Once, half way: the gate must hold everything back for a second.
    if (!was_busy_ && now.seconds > options_.seconds / 2.0) {
      was_busy_ = true;
      receiver_.be_busy_once();
    }
    const bool all_delivered = broker_.finished() && now.books.inside == 0 &&
                               static_cast<long>(now.books.delivered) == now.produced;
    if (all_delivered || now.seconds > kMostTimes * options_.seconds + 10) end();
    redraw_.expires_after(kRedraw);
    redraw_.async_wait([this](const boost::system::error_code& error) {
      if (!error) turn();
    });
  }

  Duration end() {
    if (!ending_) shard_.stop(kDrain);
    ending_ = true;
    return kDrain;
  }

  const DemoOptions options_;
  Clock clock_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  DemoBroker broker_;
  DemoReceiver receiver_;
  const std::string yaml_;
  const config::Config config_;
  ProcessLimits limits_;
  KafkaLogins logins_;
  Shard shard_;
  DemoScreen screen_;
  boost::asio::steady_timer redraw_;
  DrainSignals signals_;
  const Instant started_;
  std::string trouble_;
  bool was_busy_ = false;
  bool ending_ = false;
};

}  // namespace

int demo(const DemoOptions& options) {
  try {
    // Ended by hand, for librdkafka's teardown may hang: only the broker's process must go.
    auto* show = new Demo(options);
    const int code = show->run();
    std::fflush(nullptr);
    show->end_broker();
    _exit(code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: the demo cannot start: %s\n", error.what());
    return kExitFailed;
  }
}

}  // namespace einlass::app
