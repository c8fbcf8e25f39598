#include "app/redrive/redrive.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "adapters/clock/clock.h"
#include "adapters/kafka/client/fatal.h"
#include "adapters/log/log.h"
#include "app/permits/process_limits.h"
#include "app/permits/schedules.h"
#include "app/process/exit_codes.h"
#include "app/process/leaving.h"
#include "app/redrive/redrive_preview.h"
#include "app/redrive/redrive_ranges.h"
#include "app/redrive/redrive_report.h"
#include "app/setup/config_refused.h"
#include "app/setup/refused.h"
#include "app/setup/wiring.h"
#include "app/shard/drain_signals.h"
#include "app/shard/shard.h"
#include "app/steering/make_table.h"
#include "app/steering/steering.h"
#include "app/views/books.h"
#include "config/file/located.h"
#include "config/text/values.h"
#include "text/shown.h"

namespace einlass::app {
namespace {

// For Kafka's answers before anything is read.
constexpr Duration kLookUpPatience = Duration::seconds(15);

std::uint64_t most_sent(const RedriveOptions& options) {
  return options.most_sent.value_or(std::numeric_limits<std::uint64_t>::max());
}

kafka::TopicReaderOptions reader_options(const config::Config& config, const std::string& topic) {
  const kafka::DeadLettersOptions dead_letters = dead_letters_options(config);
  return {dead_letters.brokers, config.kafka.group + ".redrive", topic, dead_letters.properties};
}

// The limits in memory that the topic's records may meet. One that no route writes to any more may
// have letters of each.
std::string limits_in_memory(const config::Config& config, const std::string& topic) {
  const auto writes = [&](const config::Route& route) { return route.dead_letter == topic; };
  const bool is_written = std::ranges::any_of(config.routes, writes);
  std::set<std::string> names;
  for (const config::Route& route : config.routes) {
    if (is_written ? !writes(route) : route.dead_letter.empty()) continue;
    for (std::size_t i = 0; i < route.limits.size(); ++i) {
      const config::Limit& limit = limit_of(config, route, i);
      if (limit.store == config::Store::memory) names.insert(limit.limit.name);
    }
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// One redrive and what stands around it: its log, its signals, its progress on the screen.
class Redrive {
 public:
  Redrive(const config::Config& config, const RedriveOptions& options, std::string topic)
      : config_(config),
        options_(options),
        topic_(std::move(topic)),
        log_(process_options(config).least, process_options(config).format,
             process_options(config).instance),
        screen_(isatty(STDERR_FILENO) != 0, clock_.now()),
        choice_(config, options.reasons),
        logins_(io_, config, [this](const Notice& notice) { tell(notice); }),
        reader_(new_reader([this](const Notice& notice) { tell_shard(notice); })),
        signals_(
            io_, [this](const Notice& notice) { tell(notice); },
            "could not commit in time; what was sent since the last commit may be sent again"),
        tick_(io_) {}

  int run() {
    look_up();
    if (options_.dry_run) {
      RedrivePreview preview(choice_, ranges_, most_sent(options_));
      preview.read(io_, clock_, reader_, [this] { return fatal_; });
      if (fatal_) return kExitFailed;  // The log says why; what was read until then says nothing.
      std::printf("%s", preview.text(topic_).c_str());
      return kExitDone;
    }
    const int code = send();
    log_.flush();
    return code;
  }

 private:
  void tell(const Notice& notice) {
    screen_.clear();
    log_.write(notice, clock_.now());
  }

  // A fatal notice of the reader must reach the shard, which ends then; a preview has none.
  void tell_shard(const Notice& notice) {
    fatal_ |= kafka::is_fatal(notice);
    shard_notify_ ? shard_notify_(notice) : tell(notice);
  }

  kafka::TopicReader new_reader(Notify notify);
  void look_up();
  void follow_quotas();
  void tell_of_pauses();
  int send();
  std::unique_ptr<kafka::RecordSource> make_source(core::Events& events, kafka::MessageSink& sink,
                                                   const Notify& notify);
  RedriveView view() const;
  void each_turn(Instant now);
  void tick();
  void stop(Duration patience);

  const config::Config& config_;
  const RedriveOptions& options_;
  const std::string topic_;
  Clock clock_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  log::Log log_;
  RedriveScreen screen_;
  RedriveChoice choice_;
  KafkaLogins logins_;
  kafka::TopicReader reader_;
  std::vector<RedriveRange> ranges_;
  std::uint64_t offsets_ = 0;        // In all ranges.
  RedriveSource* source_ = nullptr;  // The shard's.
  ProcessLimits limits_{config_};
  std::optional<Schedules> schedules_;
  std::unique_ptr<Shard> shard_;
  std::optional<Steering> steering_;
  Notify shard_notify_;
  DrainSignals signals_;
  boost::asio::steady_timer tick_;
  bool is_paused_ = false;  // Something that letters may wait for.
  bool stopping_ = false;
  bool fatal_ = false;  // The reader will not reach the end.
};

kafka::TopicReader Redrive::new_reader(Notify notify) {
  try {
    kafka::TopicReaderOptions options = reader_options(config_, topic_);
    options.login = logins_.of_source();
    return {io_, std::move(options), std::move(notify)};
  } catch (const std::exception& error) {
    throw ConfigRefused(error.what());
  }
}

void Redrive::look_up() {
  logins_.start();
  logins_.wait(kLookUpPatience);
  const auto states = reader_.look_up(kLookUpPatience);
  std::vector<std::optional<Offset>> at_time;
  if (options_.from.kind == From::Kind::time) {
    std::vector<PartitionNumber> numbers;
    for (const kafka::PartitionState& state : states) numbers.push_back(state.number);
    at_time = reader_.offsets_at(options_.from.time_ms, numbers, kLookUpPatience);
  }
  ranges_ = redrive_ranges(options_, topic_, states, at_time,
                           [this](const Notice& notice) { tell(notice); });
  for (const RedriveRange& range : ranges_) {
    offsets_ += static_cast<std::uint64_t>(range.read.end.value - range.read.start.value);
  }
}

std::unique_ptr<kafka::RecordSource> Redrive::make_source(core::Events& events,
                                                          kafka::MessageSink& sink,
                                                          const Notify& notify) {
  auto source = std::make_unique<RedriveSource>(reader_, ranges_, choice_, most_sent(options_),
                                                events, sink, notify);
  source_ = source.get();
  shard_notify_ = notify;
  return source;
}

// What the fleet's table says holds here too, from the first letter on.
void Redrive::follow_quotas() {
  const Notify notify = [this](const Notice& notice) { tell(notice); };
  const auto pause = [this](const Pauses& pauses) {
    shard_->pause(std::make_shared<const Pauses>(pauses));
    tell_of_pauses();
  };
  steering_.emplace(io_, config_, limits_.values(), limits_.weights(), clock_,
                    Steering::Callbacks{.notify = notify, .paused = pause, .ready = [] {}});
  steering_->start([&](FleetTable::Listener& listener) {
    return make_table(io_, config_, logins_, listener, notify);
  });
  const auto end = clock_.steady(clock_.now() + kLookUpPatience);
  const auto known = [this] { return !config_.quotas || steering_->status().whole; };
  while (!known() && std::chrono::steady_clock::now() < end) io_.run_one_until(end);
  const Steering::Status status = steering_->status();
  if (!known()) {
    throw std::runtime_error("the table of quotas and pauses cannot be read: " + status.away +
                             "; nothing was sent");
  }
}

// A topic that is paused is read no further; what was read of it long ago is another matter.
void Redrive::tell_of_pauses() {
  const bool now = std::ranges::any_of(steering_->pauses(), [](const Steering::Entry& one) {
    return subject_of(one.key)->kind != Subject::Kind::topic;
  });
  if (std::exchange(is_paused_, now) || !now) return;
  tell({Severity::warning, "redrive_paused",
        "something is paused, and letters for it wait until it is resumed; einlass pause --list "
        "says what"});
}

int Redrive::send() {
  if (const std::string names = limits_in_memory(config_, topic_); !names.empty()) {
    tell(
        {Severity::warning, "redrive_limits_in_memory",
         "limits in memory (" + names +
             ") have buckets of their own here, so with a running gate the target may get twice as "
             "much; stop the gate meanwhile, or keep them in Redis"});
  }
  schedules_.emplace(io_, config_, limits_.values(), Clock::wall,
                     [this](const Notice& notice) { tell(notice); });
  shard_ = std::make_unique<Shard>(
      io_, ShardNumber{}, config_, limits_, logins_, clock_,
      [this](const Notice& notice) { tell(notice); },
      [this](boost::asio::io_context&, core::Events& events, kafka::MessageSink& sink,
             const Notify& notify) { return make_source(events, sink, notify); });
  follow_quotas();
  signals_.wait([this] {
    stop(config_.drain_timeout);
    return config_.drain_timeout;
  });
  tick();
  const bool drained = shard_->run([this](Instant now) { each_turn(now); });
  screen_.clear();
  const RedriveView end = view();
  std::printf("%s", redrive_books(end).c_str());
  if (!drained) return kExitFailed;
  if (!source_->progress_is_kept()) {
    tell({Severity::error, "redrive_progress_lost",
          "the progress could not be committed; the next redrive may send some letters again"});
    return kExitFailed;
  }
  if (!books_close(end)) {
    tell({Severity::error, "redrive_books_open",
          "the totals above do not agree with the gate's; please report it"});
    return kExitFailed;
  }
  return kExitDone;
}

RedriveView Redrive::view() const {
  return {topic_, source_->counts(), books_of(*shard_, config_), offsets_, reader_.gone()};
}

void Redrive::each_turn(Instant now) {
  if (now >= screen_.next()) screen_.show(view(), now);
  log_.tick(now);
  if (!stopping_ && source_->finished() && books_of(*shard_, config_).inside == 0) {
    stop(DrainSignals::kLeavePatience);
  }
}

// Wakes the loop for the screen.
void Redrive::tick() {
  tick_.expires_after(std::chrono::seconds(1));
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Redrive::stop(Duration patience) {
  stopping_ = true;
  source_->stop();
  shard_->stop(patience);
}

// Until somebody drains nothing was sent, and whoever is told to leave leaves. Not by the signal's
// default, which the first process of a container does not have: it would go on.
void leave_by_signals() {
  for (const int one : {SIGINT, SIGTERM}) std::signal(one, [](int number) { _exit(128 + number); });
}

// What is read is no topic of the group's, so that no transaction could commit its offsets.
config::Config without_transactions(config::Config config) {
  for (config::Target& target : config.targets) {
    if (auto* kafka = std::get_if<config::KafkaTarget>(&target.kind)) kafka->exactly_once = false;
  }
  return config;
}

// The topic that is meant; or nothing, after it was said what is wrong.
std::string topic_of(const config::Config& config, const RedriveOptions& options) {
  if (options.route.empty()) {
    if (options.topic.empty()) {
      std::fprintf(stderr,
                   "einlass: redrive: the name behind --route or --topic is empty; name a route or "
                   "a topic\n");
    }
    return options.topic;
  }
  const auto route = std::ranges::find(config.routes, options.route, &config::Route::name);
  if (route == config.routes.end()) {
    std::vector<std::string_view> names;
    for (const config::Route& one : config.routes) names.push_back(one.name);
    const auto there_is = config::what_there_is(options.route, names);
    std::fprintf(stderr, "einlass: redrive: there is no route '%s'%s\n", options.route.c_str(),
                 there_is ? ("; " + *there_is).c_str() : "");
    return "";
  }
  if (route->dead_letter.empty()) {
    std::fprintf(stderr,
                 "einlass: redrive: the route '%s' has no dead_letter topic; name the topic with "
                 "--topic\n",
                 options.route.c_str());
  }
  return route->dead_letter;
}

}  // namespace

void redrive(const std::string& path, const config::Config& written,
             const RedriveOptions& options) {
  leave_by_signals();
  const config::Config config = without_transactions(written);
  const std::string topic = topic_of(config, options);
  if (topic.empty()) leave(kExitUsage);
  int code = kExitFailed;
  try {
    if (const std::string why = refused_login(config); !why.empty()) throw ConfigRefused(why);
    Redrive work(config, options, topic);
    code = work.run();
    leave(code);
  } catch (const WrongRange& wrong) {
    std::fprintf(stderr, "einlass: redrive: %s\n", wrong.what());
    code = kExitUsage;
  } catch (const ConfigRefused& refused) {
    std::fprintf(stderr, "%s\n", config::located(config, path, refused.what()).c_str());
    code = kExitConfig;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: redrive: %s\n", shown(error.what()).c_str());
  }
  leave(code);
}

}  // namespace einlass::app
