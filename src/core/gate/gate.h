// The gate: decides when each record may pass.
//
// It owns no thread, clock, socket, lock, log or payload: the same events at the same instants give
// the same commands. This file alone knows the order of the stages:
//
//   intake -> lane -> admission -> delivery -> ledger -> commit
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/admission/admission.h"
#include "core/commits/commits.h"
#include "core/containers/deadlines.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/options.h"
#include "core/contract/standing.h"
#include "core/contract/stats.h"
#include "core/delivery/delivery.h"
#include "core/records/intake.h"
#include "core/records/lane.h"
#include "core/records/record.h"

namespace einlass::core {

// REQUIRES: one thread.
class Gate {
 public:
  explicit Gate(const GateOptions& options);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Makes a line known. One that is not kept ends with ForgetLine, when nothing is left of it.
  // REQUIRES: the id is not in use; called before the line's first record arrives.
  void add_line(LineId id, RouteId route, bool keep, bool paused = false) {
    admission_.add_line(id, route, keep, paused);
  }

  // Takes one event and appends to `commands` what must be done now, in that order.
  // REQUIRES: now is not earlier than at the last call.
  void handle(const Event& event, Instant now, Commands& commands);

  // Goes on under other numbers: bounds, spans, attempts, the store and its policy. What is under
  // way ends as it began; what waits looks again at once. Commands are appended as by handle().
  // REQUIRES: as many routes, targets and stores; each route with the same target, order, count and
  // kinds of limits, and with a dead letter topic exactly if it had one; now as for handle(). The
  // seed is not looked at.
  void reconfigure(const GateOptions& options, Instant now, Commands& commands);

  // A Send of that route was carried out so long after its permit had come due.
  void note_lateness(RouteId route, Duration late) {
    stats_[route.value].permit_lateness.observe(late);
  }

  // When to send TimePassed if nothing else happens; empty when nothing waits for time.
  std::optional<Instant> next_wakeup() const { return deadlines_.next(); }
  // What it is for.
  std::optional<Alarm> next_alarm() const { return deadlines_.first(); }

  const RouteStats& stats(RouteId route) const { return stats_[route.value]; }
  // Records that wait for their next attempt.
  std::uint64_t backing_off(RouteId route) const {
    return records_.count(route, RecordState::backing_off);
  }
  // Whether, as far as whole routes tell, a record is inside that may go to the target without
  // anybody's doing: not paused, nor early. Only such records find out how it is.
  bool records_may_go(TargetId target) const;
  // Of a partition's records: those that wait for their own time, or behind one that does. Walks
  // over all of them.
  std::uint64_t early(PartitionId id) const;
  // By RouteId. Walks over all lines and all lanes once.
  std::vector<Waiting> waiting(Instant now) const;
  // Of one line's records, all that are not at the target. REQUIRES: the line is known.
  std::uint32_t waiting_in(LineId line) const { return admission_.waiting_in(line); }
  // Until when nothing is sent to the target, by a Retry-After or its breaker; past if it is not
  // so.
  Instant held_until(TargetId target) const { return delivery_.held_until(target); }
  const Breaker& breaker(TargetId target) const { return delivery_.breaker(target); }

  // Null for one that is absent.
  const Partition* partition(PartitionId id) const {
    return intake_.exists(id) ? &intake_.all()[id.value] : nullptr;
  }

  // By PartitionId; absent ones among them.
  const std::vector<Partition>& partitions() const { return intake_.all(); }

  // Whether people have paused it, or its route.
  bool is_paused(PartitionId id) const { return intake_.exists(id) && intake_.is_paused(id); }

  // Whether it is read no further though there is room: older records of it have to finish first.
  bool held_by_ledger(PartitionId id) const {
    return intake_.exists(id) && intake_.held_by_ledger(id);
  }

  // For people (explaining.cc): what became of an offset; the record in a slot, null if there is
  // none; where a record stands, none for one that is not inside, walking over all before it.
  Sought find(PartitionId id, Offset offset) const;
  const Record* record(Slot slot) const { return records_.in(slot); }

  // Every record is in a slot below this one.
  Slot record_slots() const { return records_.slots(); }
  std::optional<Standing> standing(Slot slot, Instant now) const;
  // The lines with the most records waiting, the longest first. Walks over all lines once, and over
  // some of the records behind others.
  std::vector<LineStanding> longest_lines(std::size_t most, Instant now) const;

  // CHECKs that the books close and that counts agree. Slow: for tests.
  void check_invariants() const;

 private:
  void check_books() const;

  void on(const RecordArrived& event, Instant now, Commands& commands);
  void on(const RecordFiltered& event, Instant now, Commands& commands);
  void on(const DeliveryEnded& event, Instant now, Commands& commands);
  void on(const PermitsAnswered& event, Instant now, Commands& commands);
  void on(const PermitsFailed& event, Instant now, Commands& commands);
  void on(const LimitsChanged& event, Instant now, Commands& commands);
  void on(const StoreDown& event, Instant now, Commands& commands);
  void on(const StoreUp& event, Instant now, Commands& commands);
  void on(const PartitionAssigned& event, Instant now, Commands& commands);
  void on(const PartitionMoved& event, Instant now, Commands& commands);
  void on(const PartitionRevoked& event, Instant now, Commands& commands);
  void on(const PartitionLost& event, Instant now, Commands& commands);
  void on(const DeadLetterEnded& event, Instant now, Commands& commands);
  void on(const TargetHold& event, Instant now, Commands& commands);
  void on(const TargetReady& event, Instant now, Commands& commands);
  void on(const RoutePaused& event, Instant now, Commands& commands);
  void on(const LinePaused& event, Instant now, Commands& commands);
  void on(const PartitionPaused& event, Instant now, Commands& commands);
  void on(const CommitEnded& event, Instant now, Commands& commands);
  void on(const StopRequested& event, Instant now, Commands& commands);
  void on(const TimePassed& event, Instant now, Commands& commands);
  void forget_flow_names(RouteId route);
  void serve_targets(Instant now, Commands& commands);
  void ring(Alarm alarm, Instant now, Commands& commands);
  void set_aside(Record& record, Instant now);
  void hope_again(Record& record);

  // ending.cc and arriving.cc: a record's way on.
  void end_attempt(Record& record, const DeliveryEnded& event, Instant now, Commands& commands);
  void turn_away(const RecordArrived& event, Instant now, Commands& commands);
  void pass_over(PartitionId id, Offset offset, Instant now);
  void make_ready(Slot slot, Instant now, Commands& commands);
  void dead_letter(Record& record, DeadLetterReason reason, Instant now, Commands& commands);
  void try_again(Record& record, Instant now, Commands& commands, Duration least = {});
  bool may_try_again(Record& record, Instant now, Commands& commands);
  void go_on_in_part(Record& record, const DeliveryEnded& event, Instant now, Commands& commands);
  bool stays_in_lane(Record& record, Instant now);
  void finish(Record& record, Instant now, Commands& commands);
  void give_back(Record& record, Instant now, Commands& commands);
  void abandon(Record& record, Instant now, Commands& commands);
  void take_leave(Record& record, Instant now, Commands& commands);
  void end_abandoned(Record& record, Instant now, Commands& commands);
  bool keeps_its_line(const Record& record) const;
  static std::optional<DeadLetterReason> doom_of(const RecordArrived& event, Instant now);
  void wait_early(Record& record);
  void expire_due(Instant now, Commands& commands);
  void expire(Record& record, Instant now, Commands& commands);
  static bool is_too_late(const Record& record, Instant now) {
    return !record.doom && record.expires <= now;
  }

  // handover.cc: a partition's way out.
  void hand_over(PartitionId id, Instant now, Commands& commands);
  void give_back_waiting(PartitionId id, Instant now, Commands& commands);
  void abandon_all(PartitionId id, Instant now, Commands& commands);
  void settle(PartitionId id, Instant now, Commands& commands);
  void done(PartitionId id, Commands& commands);
  void stop_when_done(Commands& commands);

  // waiting.cc
  void add_behind(Slot first, Instant now, std::vector<Waiting>& waiting) const;
  void explain_behind(Instant now, std::vector<LineStanding>& lines) const;

  GateOptions options_;
  Deadlines deadlines_;
  std::vector<RouteStats> stats_;
  Records records_;
  Intake intake_;
  Lanes lanes_;
  Delivery delivery_;
  Admission admission_;
  Commits commits_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::vector<Slot> slots_;  // Scratch, to walk over records while they change.
  Instant now_;              // At the last event.
};

}  // namespace einlass::core
