// One process of the fleet: a gate, the loop around it and its adapters, all simulated. What goes
// out and in passes the checks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/gate/gate.h"
#include "kafka_world.h"
#include "limit_checks.h"
#include "limiter_world.h"
#include "permit_checks.h"
#include "record_checks.h"
#include "target_world.h"

namespace einlass::simulation {

struct World;

class Instance {
 public:
  Instance(World& world, std::size_t number);

  bool alive() const { return gate_ != nullptr; }

  // For people. REQUIRES: alive().
  std::string longest_lines() const;
  bool stopping() const { return stopping_; }
  bool kicked() const { return kicked_; }
  std::size_t number() const { return number_; }

  // The group.
  void assign(std::size_t partition);
  void revoke(Assignment& assignment);
  void kick();  // Dropped from the group; hears of it later.
  void records_appended() { wake(Duration{}); }

  void hold_target(core::TargetId target, Duration length);
  // A route, a line or a partition, for so long.
  void pause_something(Dice& with, Duration length);
  void store_down(core::StoreId store, Duration outage);
  void crash();
  void stop(Duration patience);
  // Goes on under the world's settings, after so long.
  void reload(Duration delay);
  // The limit is another for that key.
  void value_changed(std::size_t limit, std::int64_t key, Duration delay);
  // So many of the records that it would read next are there no longer.
  void delete_next(Assignment& assignment, std::int64_t records);

  // Nothing inside, nothing asked, nothing held, nothing to wait for: else throws Failure.
  void check_idle() const;
  std::uint64_t commands_done() const { return commands_done_; }
  std::uint64_t asks() const { return permits_.asks(); }
  std::uint64_t permits_used() const { return permits_.used(); }

 private:
  struct Line {
    core::RouteId route;
    core::StoreId store;
    std::int64_t key = -1;
    std::vector<BucketKey> buckets;
  };
  struct Slot {
    std::uint32_t use = 0;
    std::size_t partition = 0;
    std::size_t index = 0;  // In its log.
  };
  using Durations = std::shared_ptr<std::vector<Duration>>;
  struct Told {
    core::Event event;
    Durations due;                       // What a PermitsAnswered points to, ...
    std::shared_ptr<ToldFlows> flows{};  // ... and this.
  };
  // A request on its way, and what is committed with it.
  struct Transaction {
    std::vector<core::Send> sends;
    std::vector<LogRecord*> records;
    std::vector<KafkaWorld::Entry> entries;
    AttemptPlan plan;
    bool unknown = false;  // Nobody will learn what became of it.
    bool committed = false;
  };
  struct Question {
    core::LineId line;
    std::vector<BucketKey> buckets;
    std::vector<std::int64_t> costs;  // Of each permit.
    PermitKey first = 0;
    std::vector<Instant> stamps;       // What the limiter has granted and remembers.
    std::vector<std::uint16_t> flows;  // Then: whose each is, by the flow's index in the ask.
    std::uint64_t era = 0;
    Instant decided_at;      // When it last looked, on the world's clock.
    std::uint32_t try_ = 0;  // How often it was asked.
    bool stand_in = false;   // The last time somebody else was.
    bool ended = false;      // The gate has, or will have, the one answer to this try.
  };

  // The loop.
  void wake(Duration delay);
  void wake_at(Instant at);
  void turn();
  void tell(core::Event event);
  void take_told();
  void take_records();
  bool take_record(Assignment& assignment);
  void pass_time();
  void handle(const core::Event& event);
  void carry_out();

  // Pauses: nothing leaves that is paused, and a paused partition is not read.
  void say_paused(const core::Event& event);
  bool is_paused(core::LineId id) const;

  void check_limits_used();
  bool could_use_a_permit(core::LineId id, const Line& line, Instant now);

  // What the checks are told.
  void before(const core::Event& event);
  // What the adapters do.
  void record_gone(core::LineId line);
  void perform(const core::Send& command);
  void begin_soon(core::TargetId target);
  void attempt(const std::vector<core::Send>& request);
  void attempt(const core::Send& command, const AttemptPlan& plan, std::uint32_t together);
  static AttemptPlan failed_for_a_record(AttemptPlan plan);
  AttemptPlan part_of(AttemptPlan plan);
  void perform(const core::Transact& command);
  void perform(const core::Forget& command);
  void perform(const core::Ask& command);
  void perform(const core::Release& command);
  void perform(const core::Ended& command);
  void perform(const core::ForgetLine& command);
  void perform(const core::DeadLetter& command);
  void perform(const core::PartitionHold& command);
  void perform(const core::Read& command);
  void perform(const core::Commit& command);
  void perform(const core::PartitionDone& command);
  void perform(const core::Stopped& command);

  // An ask on its way: at the limiter, back again, or not.
  void decide(const core::Ask& command, std::uint32_t number);
  Decision decision(const core::Ask& command, Question& question);
  Decision stand_in(const core::Ask& command, Question& question);
  HeldUp held_up(const core::Ask& command, const Question& question, const Decision& decision);
  std::shared_ptr<ToldFlows> flows_of(const core::Ask& command, Question& question,
                                      const Decision& decision);
  void answer(const core::Ask& command, std::uint32_t number, const Decision& decision);
  void fail(core::AskId ask);
  void release_at_limiter(const Question& question, std::size_t index);
  void arrive_at_broker(const std::vector<KafkaWorld::Entry>& entries);
  std::vector<core::PartitionId> some_of(const std::vector<KafkaWorld::Entry>& entries);
  std::vector<KafkaWorld::Entry> entries_of(std::span<const core::CommitEntry> entries) const;

  // instance_transactions.cc
  AttemptPlan plan_of_transaction(core::TargetId target);
  void draw_end(Transaction& transaction);
  void end(const Transaction& transaction);
  void lose(const std::vector<KafkaWorld::Entry>& entries);
  core::LineId line_for(core::RouteId route, std::int64_t key);
  void count_attempt(const core::Send& command, const AttemptPlan& plan);
  bool hopeless(const Line& line) const;
  Duration one_way();
  Duration way_to(std::size_t store);
  Duration way_of_commit();
  LogRecord& log_record(core::RecordId record);
  // Plans something for this process; nothing happens if it is gone by then.
  void after(Duration delay, std::function<void()> what);

  World& world_;
  std::size_t number_;
  Settings settings_;  // As it has heard of them.
  std::unique_ptr<core::Gate> gate_;
  core::Commands commands_;
  RecordChecks records_;
  PermitChecks permits_;
  LimitChecks limits_;
  std::deque<Told> told_;
  Instant turn_at_ = kNever;
  std::uint64_t handled_ = 0;
  std::uint64_t commands_done_ = 0;
  int turns_at_once_ = 0;
  Instant last_turn_{};
  Instant busy_until_{};
  std::uint64_t checked_turns_ = 0;

  std::vector<std::shared_ptr<Assignment>> assignments_;  // By PartitionId.
  std::vector<core::PartitionId> free_partitions_;
  std::size_t next_read_ = 0;
  std::vector<Slot> slots_;
  std::vector<core::Send> request_;  // Those of it that have come so far.
  std::set<core::TargetId> begins_;  // Targets that will say that they have begun all.
  std::map<core::TargetId, std::vector<core::Send>> to_transact_;  // Requests that wait for it.
  std::vector<std::uint32_t> free_slots_;
  std::vector<Line> lines_;
  std::vector<core::LineId> free_lines_;
  std::map<std::pair<std::uint16_t, std::int64_t>, core::LineId> line_ids_;
  std::map<core::AskId, Question> questions_;
  std::map<std::size_t, Instant> last_arrival_;  // At each store.
  std::map<core::LineId, Durations> due_;        // Each lives until the line's next ask.
  std::vector<bool> store_down_;
  std::vector<core::PartitionId> settled_;  // Of the last commit.
  std::set<std::uint16_t> paused_routes_;
  std::set<std::uint32_t> paused_lines_;
  bool stopping_ = false;
  bool kicked_ = false;
};

}  // namespace einlass::simulation
