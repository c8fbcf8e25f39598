// One shard: one thread with one gate, one consumer, and its own connections.
//
// The program is its loop of four verbs: wait, collect, handle, perform.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/clock/clock.h"
#include "adapters/kafka/producing/dead_letters.h"
#include "adapters/kafka/source/source.h"
#include "app/permits/limiters.h"
#include "app/permits/pauses.h"
#include "app/permits/process_limits.h"
#include "app/permits/shadows.h"
#include "app/process/run_id.h"
#include "app/process/shard_number.h"
#include "app/record/filters.h"
#include "app/record/record_store.h"
#include "app/record/record_times.h"
#include "app/record/share_fields.h"
#include "app/setup/kafka_logins.h"
#include "app/shard/breaker_notices.h"
#include "app/shard/debug_notices.h"
#include "app/shard/delivery_delays.h"
#include "app/shard/loop_phase.h"
#include "app/shard/shard_counts.h"
#include "app/shard/troubles.h"
#include "app/shard/turn_times.h"
#include "app/shard/uncounted.h"
#include "app/shard/unread_ages.h"
#include "app/targets/targets.h"
#include "app/tracing/tracing.h"
#include "config/model/config.h"
#include "core/gate/gate.h"

namespace einlass::app {

// Makes what a shard reads from. Throws std::runtime_error if librdkafka refuses the configuration.
using MakeSource = std::function<std::unique_ptr<kafka::RecordSource>(
    boost::asio::io_context&, core::Events&, kafka::MessageSink&, const Notify&)>;

// REQUIRES: used by one thread at a time, but for what says otherwise; outlived by what the
// constructor is given.
class Shard final : public kafka::MessageSink {
 public:
  // Reads from `make_source`, or, without it, the topics of the routes. Throws ConfigRefused with
  // the reason if librdkafka or OpenSSL refuse the configuration. `notify` is called on the thread
  // that uses the shard.
  Shard(boost::asio::io_context& io, ShardNumber number, const config::Config& config,
        ProcessLimits& limits, const KafkaLogins& logins, const Clock& clock, Notify notify,
        const MakeSource& make_source = {});
  ~Shard() override;

  // Joins the group unless stop() was called before, and turns until it has been called and
  // everything is drained, or until a fatal error of the source. One of a producer drains as stop()
  // does. False after a fatal error. `each_turn`, if there is one, is called once a turn with its
  // instant.
  bool run(const std::function<void(Instant)>& each_turn = {});

  // Begins to drain: what is in flight may end within `patience`. May be called from a handler
  // that runs on the io_context.
  void stop(Duration patience);

  // May be called from any thread.
  LoopPhase phase() const { return phase_.load(std::memory_order_relaxed); }

  // As TurnTimes has it. May be called from any thread.
  Duration slow_turns() const { return turn_times_.slow(); }

  // As Targets::make(). May be called from any thread.
  Targets::Made make_targets(const config::Config& from, const config::Config& to) const {
    return targets_.make(from, to);
  }

  // Goes on under another configuration, between two turns: attempts under way end with the targets
  // and as they began. May be called from a handler that runs on the io_context.
  // REQUIRES: no change needs a restart; the targets were made for it.
  void reconfigure(std::shared_ptr<const config::Config> config, Targets::Made targets);

  // What is paused from here on. May be called from a handler that runs on the io_context.
  void pause(std::shared_ptr<const Pauses> pauses);

  // For the admin pages; called on the same thread.
  ShardNumber number() const { return number_; }
  const config::Config& config() const { return *config_; }
  const core::Gate& gate() const { return gate_; }
  const kafka::RecordSource& source() const { return *source_; }
  const Limiters& limiters() const { return limiters_; }
  const Shadows& shadows() const { return shadows_; }
  SpanCounts spans() const { return tracing_ ? tracing_->counts() : SpanCounts{}; }
  const RecordStore& records() const { return records_; }
  const kafka::DeadLetters* dead_letters() const { return dead_letters_.get(); }  // Null: no route.
  // `unusable` by an attempt only while a record may go there (core::Gate::records_may_go()).
  TargetStatus target_status(std::size_t i) const;
  const ShardCounts& counts() const { return counts_; }
  const UnreadAges& unread_ages() const { return unread_ages_; }
  std::vector<Trouble> troubles() const { return troubles_.all(now()); }
  // Not only at the last turn, which may be long ago.
  Instant now() const { return std::max(now_, clock_.now()); }

  // By route: how old records were when their target accepted them.
  const DeliveryDelays& delays() const { return delays_; }

  // For the source: takes in one message.
  void take(const kafka::Message& message) override;

 private:
  void connect(const KafkaLogins& logins, const MakeSource& make_source);
  void tell_of_source(const Notice& notice);
  void tell_of_producer(const Notice& notice);
  bool wants_debug() const { return config_->log.level == Severity::debug; }
  void at(LoopPhase phase) { phase_.store(phase, std::memory_order_relaxed); }
  void wait();
  void look_at_clock();
  void collect();
  void handle();
  void note(const core::Event& event);
  void attempt_ended(const core::DeliveryEnded& ended);
  void share_hold(const core::DeliveryEnded& ended);
  void perform();
  void pause_by_topic(core::PartitionId partition);

  // arriving.cc
  bool finds_route(core::RecordId id);
  bool is_too_large(core::RecordId id) const;
  void doom_too_large(core::RecordArrived& arrived);
  core::RecordArrived arrival_of(core::RecordId id, const kafka::Message& message);
  void perform_while_reading();

  // carry_out.cc
  void tell_ledger_full(core::PartitionId partition);
  void tell_if_early(core::PartitionId id);
  void tell_if_of_one_flow(core::PartitionId id);

  void carry_out(const core::Command& command);
  void carry_out(const core::Send& command);
  void carry_out(const core::Forget& command);
  void carry_out(const core::Ask& command);
  void carry_out(const core::Release& command);
  void carry_out(const core::Ended& command);
  void carry_out(const core::ForgetLine& command);
  void carry_out(const core::DeadLetter& command);
  void carry_out(const core::PartitionHold& command);
  void carry_out(const core::Read& command);
  void carry_out(const core::Commit& command);
  void carry_out(const core::Transact& command);
  void carry_out(const core::PartitionDone& command);
  void carry_out(const core::Stopped& command);

  boost::asio::io_context& io_;
  const ShardNumber number_;
  const config::Config* config_;
  std::shared_ptr<const config::Config> taken_;  // Since a reload: what config_ points to.
  const Clock& clock_;
  const Notify notify_;
  const RunId run_id_;
  core::Events events_;      // What has happened since the last turn.
  core::Events handling_;    // What this turn handles.
  core::Commands commands_;  // What is to be done.
  core::Commands deferred_;  // Of that: what waits until the source has finished reading.
  core::Gate gate_;
  BreakerNotices breaker_notices_;
  ShardCounts counts_;
  RecordStore records_;
  DeliveryDelays delays_;
  Troubles troubles_;
  UnreadAges unread_ages_;
  std::shared_ptr<const Pauses> pauses_;  // Null: nothing ever was.
  Shares shares_;
  Filters filters_;
  TimeFields times_;
  Limiters limiters_;
  Shadows shadows_;
  DebugNotices debug_notices_;
  Targets targets_;
  std::optional<Tracing> tracing_;                 // Without one, no records are traced.
  std::vector<core::RouteId> route_of_partition_;  // By PartitionId.
  std::unique_ptr<kafka::DeadLetters> dead_letters_;
  std::unique_ptr<kafka::RecordSource> source_;
  boost::asio::steady_timer wakeup_;
  Instant wakeup_at_ = kNever;  // What wakeup_ is set to.
  Instant now_;
  std::uint64_t messages_ = 0;
  Uncounted uncounted_;
  Instant woken_;  // When this turn began to do something.
  Instant next_flow_hint_;  // Not before.
  std::atomic<LoopPhase> phase_{LoopPhase::wait};
  TurnTimes turn_times_;
  bool fatal_ = false;          // The source has ended for ever.
  bool lost_producer_ = false;  // So has a producer.
  bool stopping_ = false;
  bool stopped_ = false;
};

}  // namespace einlass::app
