// One gate's promises about records, held against what it was told and what it does: attempts,
// order, bounds, offsets, books. Knows nothing of how the gate works.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "batch_checks.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/gate/gate.h"
#include "draw.h"
#include "flow_checks.h"
#include "permit_checks.h"
#include "target_checks.h"

namespace einlass::simulation {

class RecordChecks {
 public:
  explicit RecordChecks(const Settings& settings);

  // What the gate is told. Called before it is.
  void assigned(const core::PartitionAssigned& event);
  // The gate may have said PartitionDone while these were on their way to it.
  void revoked(core::PartitionId partition, Instant deadline);
  void lost(core::PartitionId partition, Instant now);
  void stop(Instant deadline);
  void arrived(const core::RecordArrived& event, bool bad, Instant now);
  void filtered(const core::RecordFiltered& event);
  void delivery_ended(const core::DeliveryEnded& event, Instant now);
  void dead_letter_ended(const core::DeadLetterEnded& event, Instant now);
  void commit_ended(const core::CommitEnded& event);
  void moved(const core::PartitionMoved& event);
  // REQUIRES: the settings are others already.
  void reloaded() { targets_.reloaded(); }
  // No waiting helps a record of the line that costs so much; what costs less was not asked for.
  void denied_for_good(core::LineId line, std::int64_t cost);
  // A record of the line that costs so much waits elsewhere until then, and others go before it.
  void one_set_aside(core::LineId line, std::int64_t cost, Instant until);

  // When the gate had last handled all wake-ups.
  void settled(Instant at) { settled_ = at; }

  // What it does.
  void send(const core::Send& command, const PermitChecks& permits, Instant now);
  void dead_letter(const core::DeadLetter& command, Instant now);
  void forget(core::RecordId record);
  void line_forgotten(core::LineId line);
  void paused(const core::RoutePaused& event, Instant now);
  void paused(const core::PartitionPaused& event);
  void paused(const core::LinePaused& event, Instant now);
  void hold(core::PartitionId partition);
  void read(core::PartitionId partition);
  void commit(const core::Commit& command);
  void transact(const core::Transact& command, Instant now);
  void partition_done(core::PartitionId partition, Instant now);
  void stopped();

  void held(core::TargetId target, Instant until) { targets_.held(target, until); }
  void ready(core::TargetId target) { targets_.ready(target); }

  // After each event.
  void check(const core::Gate& gate, Instant now) const;
  // Nobody waits for his next attempt longer than allowed, or for a target that has room. Slower.
  // REQUIRES: the gate has handled every wake-up up to `now`.
  void check_waiting(const core::Gate& gate, Instant now) const;

  // No retry went beyond its share in this event while a fresh record could have gone instead.
  void check_shares(const PermitChecks& permits, Instant now);

  // Whether the target would take more than so many attempts now.
  bool has_room_beyond(core::TargetId target, std::int64_t attempts, Instant now) const;
  // A record of the line that was never tried could go, and its line may have a place for it.
  bool fresh_could_go(core::LineId line, Instant now) const;

  core::LineId line_of(core::RecordId record) const { return records_[record.slot].line; }
  // Each flow that an ask names has as many records there.
  void check_flows_named(const core::Ask& ask) const;
  // Records that the gate may still ask permits for.
  std::int64_t wanting(core::LineId line) const;
  bool uses(core::LineId line, Instant now) const;
  bool has_stopped() const { return stopped_; }
  bool idle() const;

 private:
  enum class State : std::uint8_t { absent, waiting, sent, dead_lettering, finished };
  using Lane = std::pair<core::RouteId, std::optional<core::LaneKey>>;  // In a partition.
  struct Shadow {
    State state = State::absent;
    core::RecordId id;
    core::RouteId route;
    core::PartitionId partition;
    core::LineId line;
    Lane lane;
    Offset offset;
    Bytes size;
    std::uint16_t name_size = 0;
    std::uint32_t attempt = 0;
    std::uint32_t not_counted = 0;         // Of these.
    std::uint64_t request = 0;             // The last attempt's,
    bool leads = false;                    // whether it is the first in it,
    std::uint32_t together = 1;            // and of how many its outcome was told as one.
    std::uint32_t most_together = ~0u;     // As a refusal or a failure has taught.
    std::optional<core::Outcome> outcome;  // Of the last attempt.
    bool too_large = false;                // It was refused for that.
    bool spent = false;                    // It was the last that it may make.
    Instant arrived_at{}, sent_at{};
    Instant failed_at{};                       // The end of the last attempt or dead letter,
    Instant not_before{}, back_by{};           // and when it may, and must, be tried again.
    std::optional<Instant> attempt_failed_at;  // The target's last failure.
    bool doomed = false;                       // Was on its way to the dead letter topic, and why.
    core::DeadLetterReason reason{};
    bool orphan = false;  // Its partition is done; only its end is awaited.
    bool bad = false;     // Its target fails it.
    bool bad_key = false;
    Instant early_until{}, expires = kNever;  // As it says itself.
    Instant perhaps_aside_until{};            // It may be the one that waits elsewhere until then.
    core::FlowMark flow{};
    std::int64_t cost = 1;
    bool known = false;  // Finished before its partition was assigned: only to be forgotten.
  };
  struct Arrival {
    Offset offset;
    bool finished = false;
    bool unsure = false;  // After the deadline: the gate may have given it up before.
  };
  struct Owned {
    bool live = false;
    core::RouteId route;
    Offset next;                           // Committed, as far as the gate knows,
    std::string finished;                  // and with it.
    bool begun = false;                    // Not even that is.
    std::uint64_t news = 0;                // How often an offset finished,
    std::uint64_t news_committed = 0;      // as of the commit that was acknowledged last.
    std::vector<core::OffsetRange> known;  // Finished before it was assigned.
    Offset newest{-1};
    std::deque<Arrival> arrivals;        // From the first unfinished one on.
    Offset finished_least, finished_to;  // What may be committed: gaps leave a choice.
    std::map<Lane, std::set<Offset>> lanes;
    std::map<Lane, Instant> lane_moved;  // When its head changed.
    std::int64_t records = 0, bytes = 0;
    std::int64_t waiting = 0;  // Of these: neither sent nor on the way to the dead letter topic.
    bool paused = false;       // By itself.
    bool held = false, lost = false, fenced = false, leaving = false;
    Instant deadline = kNever;
    std::uint64_t use = 0;
    bool before_commit = false;  // Assigned when the last commit was sent.
  };
  struct Books {
    std::uint64_t received = 0, delivered = 0, filtered = 0, inside = 0;
    std::array<std::uint64_t, 6> dead{};
    std::array<std::uint64_t, 3> attempts{};  // By outcome.
    std::uint64_t in_flight = 0;
    std::uint64_t unsure = 0;  // Ended after the deadline: may count as delivered or as returned.
    std::uint64_t unsure_attempts = 0;
  };
  struct InCommit {
    core::PartitionId partition;
    core::TargetId target;
    std::uint64_t use;
    Offset next;
    std::string finished;
    std::uint64_t news;
  };
  // A commit, as it was when it was sent, and as the gate keeps it.
  struct Sent {
    bool open = false;
    std::vector<InCommit> entries;
    std::span<const core::CommitEntry> kept;
  };
  struct Transaction : Sent {
    std::uint64_t request = 0;  // The target's last.
    std::uint32_t left = 0;     // Attempts that have not ended.
  };

  Shadow* find(core::RecordId id);
  bool live(core::PartitionId id) const;
  Owned& owned(core::PartitionId id, const char* who);
  void finish(Shadow& shadow, Instant now);
  static bool knows(const Owned& partition, Offset offset);
  static void pass_over(Owned& partition, Offset offset);
  static void settle(Owned& partition);
  static void check_finished(const Owned& partition, const core::CommitEntry& entry);
  void left(Shadow& shadow);
  void end_claims(const Shadow& gone);

  // record_transactions.cc
  bool transacts(core::TargetId target) const;
  core::TargetId target_of(core::RouteId route) const;
  void add_entry(Sent& to, const core::CommitEntry& entry, std::uint64_t news) const;
  static void check_kept(const Sent& sent);
  void take_committed(const Sent& sent);
  bool commits_of(core::TargetId target) const;
  std::uint64_t check_entry(const Transaction& transaction, const core::CommitEntry& entry,
                            core::TargetId target, Instant now) const;
  void check_none_left_out(const Transaction& transaction, core::TargetId target,
                           Instant now) const;
  static bool is_of(const Shadow& shadow, const Transaction& transaction);
  void check_transacted() const;
  void end_in_transaction(core::TargetId target, core::Outcome outcome);
  static bool has(const Sent& sent, core::PartitionId id, const Owned& partition);
  bool in_transaction(core::PartitionId id, const Owned& partition) const;
  void check_lane(const Shadow& shadow) const;
  void check_first(const core::Send& command, const Shadow& shadow, Instant now);
  void learn(const core::DeliveryEnded& event, Shadow& shadow, Instant now) const;
  void check_held(std::size_t id) const;
  using LinesAtTarget = std::map<core::LineId, std::uint32_t>;
  void check_places(const Shadow& shadow, Instant now) const;
  bool is_paused(const Shadow& shadow) const;
  bool is_hopeless(const Shadow& shadow) const;
  LinesAtTarget lines_at(core::TargetId target, Instant now, bool surely) const;
  bool may_have_place(core::TargetId target, const LinesAtTarget& lines, core::LineId line) const;
  bool somebody_has_enough(core::TargetId target, Instant now) const;
  void check_bounds(const Owned& to, Instant now) const;
  void check_leaving(core::PartitionId id, const Owned& partition, Instant now) const;
  void check_books(const core::Gate& gate, core::RouteId route, Instant now) const;
  void check_share(const Shadow& shadow, const PermitChecks& permits, Instant now);
  void check_flows(const Shadow& shadow, Instant now);
  void check_not_shut(const Shadow& shadow, Instant now) const;
  void check_places_used(core::TargetId target, Instant now) const;
  bool was_ready(const Shadow& shadow, Instant before) const;
  bool is_first(const Shadow& shadow) const;
  void check_own_time(const Shadow& shadow, Instant now) const;
  std::uint64_t may_be_orphans(core::RouteId route, Instant now) const;

  const Settings& settings_;
  std::vector<Shadow> records_;
  std::set<core::RouteId> paused_routes_;
  std::set<core::LineId> paused_lines_;
  Instant resumed_at_{};  // Some of them, the last time.
  std::vector<Owned> partitions_;
  std::vector<Books> books_;
  std::vector<std::uint32_t> in_flight_;  // By target.
  TargetChecks targets_;
  BatchChecks batches_;
  FlowChecks flows_;
  Instant settled_{-1};
  struct Beyond {
    core::LineId line;
    core::TargetId target;
    bool in_line, among_lines;
    Instant before, by;  // Records of its line, and of others, that came later do not count.
  };
  std::vector<Beyond> beyond_;              // Retries of this event that no credit paid for.
  std::vector<std::int64_t> line_records_;  // By line: unforgotten, no orphans.
  std::vector<std::int64_t> line_waiting_;
  std::vector<std::int64_t> hopeless_from_;  // By line: the least cost denied for good.
  std::int64_t inside_records_ = 0;
  std::int64_t open_records_ = 0;
  std::int64_t finished_unforgotten_ = 0;
  Sent commit_;
  std::vector<Transaction> transactions_;  // By target.
  bool stopping_ = false, stopped_ = false;
};

}  // namespace einlass::simulation
