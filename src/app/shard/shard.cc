#include "app/shard/shard.h"

#include <algorithm>
#include <exception>
#include <random>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/kafka/client/fatal.h"
#include "app/json/json_needs.h"
#include "app/record/record_notices.h"
#include "app/setup/config_refused.h"
#include "app/setup/wiring.h"

namespace einlass::app {
namespace {

// The most messages that are taken in one turn, so that answers are never left waiting for long.
constexpr int kMessagesPerTurn = 256;

// How long the adapters run what is ready before the gate has its turn, and how long once the gate
// wants to be woken: a permit may be good for a millisecond only.
constexpr Duration kLongestRun = Duration::millis(5);
constexpr Duration kLongestRunWhenDue = Duration::micros(500);

// How long leaving the group may take.
constexpr Duration kClosePatience = Duration::seconds(5);

// How long the last spans may take.
constexpr Duration kTracingPatience = Duration::seconds(2);

}  // namespace

Shard::Shard(boost::asio::io_context& io, ShardNumber number, const config::Config& config,
             ProcessLimits& limits, const KafkaLogins& logins, const Clock& clock, Notify notify,
             const MakeSource& make_source)
    : io_(io),
      number_(number),
      config_(&config),
      clock_(clock),
      notify_([this, notify = std::move(notify)](const Notice& notice) {
        if (notice.severity == Severity::debug && !wants_debug()) return;
        notify(notice);
      }),
      run_id_(random_run_id()),
      gate_(gate_options(config, number, std::uint64_t{run_id_[0]} << 8 | run_id_[1])),
      breaker_notices_(gate_, notify_),
      records_(json_needs(config)),
      delays_(config.routes.size()),
      shares_(config, limits.weights()),
      filters_(config),
      times_(config),
      limiters_(io, config, limits, run_id_, events_, notify_, gate_),
      shadows_(io, config, limits, notify_),
      debug_notices_(limiters_, records_, notify_),
      targets_(io, number, run_id_, logins, events_,
               [this](const Notice& notice) { tell_of_producer(notice); }),
      wakeup_(io),
      now_(clock.now()) {
  try {
    connect(logins, make_source);
  } catch (const std::exception& error) {
    throw ConfigRefused(error.what());
  }
}

void Shard::connect(const KafkaLogins& logins, const MakeSource& make_source) {
  targets_.start(*config_);
  if (config_->tracing) tracing_.emplace(io_, *config_, std::random_device{}(), notify_);
  if (uses_dead_letters(*config_)) {
    kafka::DeadLettersOptions options = dead_letters_options(*config_);
    options.login = logins.of_source();
    dead_letters_ = std::make_unique<kafka::DeadLetters>(
        io_, std::move(options), events_,
        [this](const Notice& notice) { tell_of_producer(notice); });
    dead_letters_->tell_too_large([this](core::RecordId record, std::string_view topic) {
      // Each time: nothing is thrown away, so the record stays, and its lane waits for people.
      notify_(dead_letter_too_large(records_[record], topic));
    });
  }
  const auto notify = [this](const Notice& notice) { tell_of_source(notice); };
  if (make_source) {
    source_ = make_source(io_, events_, *this, notify);
    return;
  }
  kafka::SourceOptions options = source_options(*config_, number_);
  options.login = logins.of_source();
  source_ = std::make_unique<kafka::Source>(io_, std::move(options), events_, *this, notify);
}

// After a fatal error nothing can be committed any more, so run() ends without draining.
void Shard::tell_of_source(const Notice& notice) {
  fatal_ |= kafka::is_fatal(notice);
  notify_(notice);
}

// After one of a producer what was delivered elsewhere is still committed, so it drains.
void Shard::tell_of_producer(const Notice& notice) {
  notify_(notice);
  if (!kafka::is_fatal(notice)) return;
  lost_producer_ = true;
  if (!stopping_) stop(process_options(*config_).drain_timeout);
}

Shard::~Shard() = default;

void Shard::reconfigure(std::shared_ptr<const config::Config> config, Targets::Made targets) {
  now_ = now();
  // Answers that wait may point into what is made anew, and what the gate has just said was
  // reckoned with the targets as they are.
  do {
    handle();
    perform();
  } while (!events_.empty());
  targets_.reconfigure(*config, std::move(targets));
  records_.want(json_needs(*config));
  shares_.reconfigure(*config);
  filters_ = Filters(*config);
  times_ = TimeFields(*config);
  limiters_.reconfigure(*config);
  shadows_.reconfigure(*config);
  if (tracing_) tracing_->reconfigure(*config);
  gate_.reconfigure(gate_options(*config, number_, 0), now_, commands_);
  source_->set_revoke_timeout(config->kafka.revoke_timeout);
  source_->set_dead_letters(source_options(*config, number_).dead_letters);
  if (offset_reset(*config) != offset_reset(*config_)) {
    source_->set_offset_reset(offset_reset(*config));
  }
  config_ = config.get();
  taken_ = std::move(config);
}

// Said to the gate at once: by the time of an event a line may be gone.
void Shard::pause(std::shared_ptr<const Pauses> pauses) {
  const auto said = std::exchange(pauses_, std::move(pauses));
  now_ = now();
  for (std::uint16_t i = 0; i < config_->routes.size(); ++i) {
    const bool paused = pauses_->routes[i] || pauses_->targets[config_->routes[i].target];
    gate_.handle(core::RoutePaused{core::RouteId{i}, paused}, now_, commands_);
  }
  limiters_.pause(pauses_->keys, [this](core::LineId line, bool paused) {
    gate_.handle(core::LinePaused{line, paused}, now_, commands_);
  });
  for (std::uint32_t i = 0; i < route_of_partition_.size(); ++i) {
    if (gate_.partition(core::PartitionId{i}) != nullptr) pause_by_topic(core::PartitionId{i});
  }
  perform();
}

void Shard::pause_by_topic(core::PartitionId partition) {
  const bool paused = pauses_->topics.contains(source_->topic_of(partition));
  gate_.handle(core::PartitionPaused{partition, paused}, now_, commands_);
}

bool Shard::run(const std::function<void(Instant)>& each_turn) {
  io_.poll();  // What was posted before this comes first: what is paused, or that it is to leave.
  if (!stopping_) source_->join();
  while (!stopped_ && !fatal_) {
    at(LoopPhase::wait);
    wait();
    at(LoopPhase::collect);
    collect();
    at(LoopPhase::handle);
    handle();
    at(LoopPhase::perform);
    perform();
    const Instant turned = clock_.now();
    counts_.turns.observe(turned - woken_);
    turn_times_.observe(turned - woken_, turned);
    troubles_.look([this] { return troubles_now(*this); }, turned);
    unread_ages_.look([this] { return partitions_seen(*this); }, turned);
    if (each_turn) each_turn(now_);
  }
  if (fatal_) return false;
  at(LoopPhase::leave);
  source_->close(kClosePatience);
  if (tracing_) tracing_->finish(now_, kTracingPatience);
  return !lost_producer_;
}

// With nothing to send nobody would ever learn that the target can be used again.
TargetStatus Shard::target_status(std::size_t i) const {
  TargetStatus status = targets_.status(i);
  const core::TargetId id{static_cast<std::uint16_t>(i)};
  if (status.by_attempt && !gate_.records_may_go(id)) status.unusable.clear();
  return status;
}

void Shard::stop(Duration patience) {
  stopping_ = true;
  events_.push_back(core::StopRequested{now() + patience});
}

// Sleeps until something outside is ready or the gate wants to be woken; then lets the adapters run
// what is ready, which appends to events_.
void Shard::wait() {
  if (events_.empty() && !source_->has_more() && !limiters_.has_more()) {
    const Instant at = gate_.next_wakeup().value_or(kNever);
    if (at != wakeup_at_) {
      wakeup_at_ = at;
      if (at == kNever) {
        wakeup_.cancel();
      } else {
        wakeup_.expires_at(clock_.steady(at));
        wakeup_.async_wait([this](const boost::system::error_code& error) {
          if (!error) wakeup_at_ = kNever;
        });
      }
    }
    io_.run_one();
  }
  woken_ = clock_.now();
  const Instant due = gate_.next_wakeup().value_or(kNever);
  // One peer that always has more to say is no reason not to turn.
  do {
    look_at_clock();
  } while (now_ - woken_ < (now_ < due ? kLongestRun : kLongestRunWhenDue) && io_.poll_one() > 0);
}

// What is decided by the time is decided by how it is, not by how it was before something long.
void Shard::look_at_clock() { now_ = std::max(now_, clock_.now()); }

void Shard::collect() {
  source_->poll(now_, kMessagesPerTurn);
  limiters_.look_at_values();
  look_at_clock();
}

void Shard::handle() {
  handling_.swap(events_);
  for (const core::Event& event : handling_) {
    note(event);
    gate_.handle(event, now_, commands_);
    const auto* assigned = std::get_if<core::PartitionAssigned>(&event);
    if (assigned != nullptr && pauses_) pause_by_topic(assigned->partition);
  }
  if (!handling_.empty()) look_at_clock();
  handling_.clear();
  if (gate_.next_wakeup().value_or(kNever) <= now_) {
    gate_.handle(core::TimePassed{}, now_, commands_);
  }
  breaker_notices_.look(*config_);
}

// What others than the gate have to know of it.
void Shard::note(const core::Event& event) {
  counts_.note(event);
  if (wants_debug()) debug_notices_.note(event, *config_, *source_);
  if (const auto* assigned = std::get_if<core::PartitionAssigned>(&event)) {
    const std::size_t index = assigned->partition.value;
    if (index >= route_of_partition_.size()) route_of_partition_.resize(index + 1);
    route_of_partition_[index] = assigned->route;
  } else if (const auto* ended = std::get_if<core::DeliveryEnded>(&event)) {
    attempt_ended(*ended);
  } else if (const auto* dead = std::get_if<core::DeadLetterEnded>(&event)) {
    if (tracing_ && dead->acknowledged) tracing_->dead_lettered(dead->record);
  } else if (const auto* down = std::get_if<core::StoreDown>(&event)) {
    if (down->store == kRedisStore) limiters_.redis_down(true);
  } else if (const auto* up = std::get_if<core::StoreUp>(&event)) {
    if (up->store == kRedisStore) limiters_.redis_down(false);
  }
}

void Shard::attempt_ended(const core::DeliveryEnded& ended) {
  StoredRecord& record = records_[ended.record];
  // Of which nothing was sent, and will be: it was none. What was before stands, if anything was.
  const bool was_none = !ended.sent && ended.outcome == core::Outcome::retry;
  record.attempts -= was_none;
  if (!was_none) {
    record.last_attempt = record.began;
    record.last_status = ended.status;
    if (record.attempts == 1) record.first_attempt = record.began;
  }
  const bool tells = !was_none || record.attempts == 0;
  if (ended.outcome != core::Outcome::accepted && tells) record.last_error = ended.reason;
  share_hold(ended);
  delays_.note(ended, gate_, records_, now_);
  shadows_.ended(ended, now_);
  if (was_none || !tracing_ || !tracing_->is_traced(ended.record)) return;
  tracing_->ended(ended, record, now_);
}

void Shard::share_hold(const core::DeliveryEnded& ended) {
  if (!ended.hold_target) return;
  const config::Route& route = config_->routes[records_[ended.record].route.value];
  limiters_.hold(core::TargetId{static_cast<std::uint16_t>(route.target)}, *ended.hold_target);
}

void Shard::perform() {
  // Performing appends to events_, never to commands_.
  for (const core::Command& command : deferred_) carry_out(command);
  deferred_.clear();
  for (const core::Command& command : commands_) carry_out(command);
  commands_.clear();
  limiters_.flush(now_);
  shadows_.flush(now_);
  if (tracing_) tracing_->flush(now_);
  targets_.retire();
}

}  // namespace einlass::app
