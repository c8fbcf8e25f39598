// Admission: who may leave, and when.
//
// Each line keeps the permits that were granted to it, pairs the first that is due with its first
// ready record, gives back what was not used in time, and asks for as many as are likely to be
// used. A permit belongs to the line, not to a record, so nobody waits for somebody else's trouble.
//
// What is scarce are a target's places, the permits that its lines may hold at a time, and limits
// without key. Who waits for one of these stands in its queue, and each queue is served in turn:
// places in placing.cc, permits in asking.cc, limits in contending.cc. Four parts (core/lines) say
// what all this needs to know; they send nothing, ask nobody and wake nobody:
//   Places         how a target's places are parted among its lines
//   KeylessLimits  which line may ask a limit without key
//   RetryBudget    when a retry goes before a fresh record
//   Picker         which of a line's records is next
//
// What holds it together (checked in tests after each event, admission_invariants.cc):
// W1  A line stands in the queue that it says it waits in, and in no other.
// W2  A line with ready records has an open ask, an alarm, or a queue that it stands in.
// W3  What a target's lines hold and have asked for is what its reserves count. Places and
//     KeylessLimits count as their headers say.
// W4  After each event nothing is to be had that the first in its queue could use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/admission/batch.h"
#include "core/containers/deadlines.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/options.h"
#include "core/contract/standing.h"
#include "core/contract/stats.h"
#include "core/delivery/delivery.h"
#include "core/delivery/random.h"
#include "core/lines/keyless_limits.h"
#include "core/lines/line.h"
#include "core/lines/line_queue.h"
#include "core/lines/picker.h"
#include "core/lines/places.h"
#include "core/lines/retry_budget.h"
#include "core/lines/target_queues.h"
#include "core/records/record.h"

namespace einlass::core {

class Admission {
 public:
  // Where all gates share a limit by flows a line looks no further ahead than this: it asks again
  // after about half of it, so the others know that it is there.
  static constexpr Duration kAheadOfFleet = Duration::millis(100);
  static constexpr Duration kHorizonOfFleet = Duration::millis(200);

  // Nobody else probes while a probe's permit comes due within this time.
  static constexpr Duration kAheadOfProbe = Duration::seconds(5);
  // Whatever a store has said of the next permit, it is asked again by then: what it said may come
  // of a clock that was wrong, or of a state that somebody has repaired since. Half is by lot.
  static constexpr Duration kLongestUnasked = Duration::seconds(30);

  Admission(const GateOptions& options, Records& records, Delivery& delivery, Deadlines& deadlines,
            std::vector<RouteStats>& stats);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  void add_line(LineId id, RouteId route, bool keep, bool paused);

  // A record of the line came in, or is gone for good. REQUIRES: a record that goes is not ready.
  void enter(const Record& record);
  void leave(const Record& record, Instant now, Commands& commands);

  // The record may leave as far as its lane is concerned. Its state is ready already.
  void ready(Record& record, bool was_behind, Instant now, Commands& commands);

  // The record came in behind others of its lane: where they leave together it may go with them.
  void followed(const Record& record, Instant now, Commands& commands);

  // The record has failed behind another of its lane, and waits for that one.
  void behind(const Record& record) { ++lines_[record.line.value].behind; }

  // The record is ready no longer, or waits in its lane no longer, and will not leave.
  void withdraw(Record& record);

  // The record's attempt takes up none of its line's places any more.
  // REQUIRES: it was sent and led, and this was not said before.
  void place_free(const Record& record, Instant now, Commands& commands);

  // A permit's attempt is over. Where limits count those under way, one more may be had now, or is
  // left to others. REQUIRES: its place at the target is not free yet, unless it was given up.
  void ended(const Record& record, Instant now, Commands& commands);

  // The record for which no permit will ever be granted: the caller takes it out of its line and
  // then serves the line. kNoSlot if there is none; then the line has been served.
  Slot answered(const PermitsAnswered& event, Instant now, Commands& commands);
  void failed(const PermitsFailed& event, Instant now, Commands& commands);
  void store_down(StoreId store);
  void store_up(StoreId store, Instant now, Commands& commands);

  // The line's alarm went off.
  void serve(LineId id, Instant now, Commands& commands);

  // Nothing leaves while the route or the line is paused. REQUIRES: the line is known.
  void pause(RouteId route, bool paused, Instant now, Commands& commands);
  void pause(LineId line, bool paused, Instant now, Commands& commands);
  bool is_paused(RouteId route) const { return paused_routes_[route.value]; }

  // Whether a line of the target that is not paused has records inside.
  bool has_lines(TargetId target) const { return places_.lines(target) > 0; }

  // For other options: out of the stores' queues before they change, and a look at each line after.
  void wait_for_stores_no_more();
  void look_again(Instant now, Commands& commands);
  // The limits of that line alone have changed.
  void limits_changed(const LimitsChanged& event, Instant now, Commands& commands);

  // The record waits apart from its line, whose limits could never pay its cost, until its alarm
  // goes off or they change; and not any more. REQUIRES: it is in no list of its line; it is apart.
  void set_aside(Record& record);
  void hope_again(Record& record);

  // Lets the lines that wait for a limit or a target go on, as far as these have something for
  // them. Called at the end of each event.
  void serve_waiting(Instant now, Commands& commands);

  // Something changed at the target that lines may wait for: a place, the end of a hold.
  void touch(TargetId target);
  // Something may be had again of the limit without key that has this alarm.
  void touch_limit(std::uint32_t index) { keyless_limits_.touch(static_cast<KeylessIndex>(index)); }

  // What goes before a ready record in its line, and what it waits for, into `standing`.
  // REQUIRES: the first was counted before the second, if it is not 0.
  void count_before(const Record& record, Standing& standing) const;
  void explain(const Record& record, Instant now, Standing& standing) const;
  std::vector<LineStanding> longest_lines(std::size_t most, Instant now) const;

  // Splits the ready records by what they wait for, into the one of their route (waiting.cc).
  void add_waiting(Instant now, std::span<Waiting> by_route) const;
  // What a ready record waits for, without a look at all that stand before it.
  std::pair<Cause, std::optional<LimitIndex>> cause_of(const Record& record, Instant now) const;

  // CHECKs what is written above. Slow: for tests, after an event.
  void check_invariants(Instant now) const;

  // How many of the line's records are inside and not at the target. REQUIRES: the line is known.
  std::uint32_t waiting_in(LineId id) const {
    const Line& line = lines_[id.value];
    return line.total - line.in_flight - line.followers;
  }

 private:
  const RouteOptions& route_of(const Line& line) const { return options_.routes[line.route.value]; }
  TargetQueues& queues_of(const Line& line) { return targets_[route_of(line).target.value]; }
  const Breaker& breaker_of(const Line& line) const {
    return delivery_.breaker(route_of(line).target);
  }

  static List<Record, &Record::in_line>& list_of(Line& line, const Record& record) {
    return line.apart() && record.attempt.value > 0 ? line.retries : line.ready;
  }

  void serve(Line& line, Instant now, Commands& commands);
  void ask_at_once(Line& line, Instant now);
  void look_again(Line& line, Instant now, Commands& commands);
  void go_on(Line& line, Instant now, Commands& commands);
  bool waits_for_store(const Line& line) const;
  void serve_target(TargetId id, Instant now, Commands& commands);
  void wait_for(Line& line, LineWaits what, KeylessIndex limit = kNoKeyless, bool first = false);
  void wait_no_more(Line& line);
  LineQueue& turns_of(Line& line);
  // The end of the slot in which a permit comes due: then it is used, if nobody was awake before.
  Instant awake_for(const Line& line, Instant due) const;
  void arm(Line& line, Instant now);
  void forget_if_empty(Line& line, Commands& commands);

  // pausing.cc
  bool is_paused(const Line& line) const { return line.paused || is_paused(line.route); }
  void count_line(const Line& line, int by);
  void stand_still(Line& line, Instant now, Commands& commands);
  void move_on(Line& line, Instant now, Commands& commands);

  // sending.cc
  HeldPermit take_permit(Line& line);
  void give_back(Line& line, Instant now, Commands& commands);
  void give_back_useless(Line& line, Instant now, Commands& commands);
  void count_by_flow(Line& line, Record& record);
  void send(Line& line, Record& record, bool leads, Instant now, Commands& commands);
  void send_first(Line& line, Instant now, Commands& commands);
  void send_all(Line& line, Instant now, Commands& commands);

  // batching.cc
  const BatchOptions& batch_of(const Line& line) const {
    return options_.targets[route_of(line).target.value].batch;
  }
  bool goes_together(const Line& line) const { return batch_of(line).records > 1; }
  std::int64_t gatherable(const Line& line, Instant now) const;
  void gather(Line& line, Instant now);
  bool is_ripe(TargetId id, Instant now) const;
  void serve_batches(TargetId id, Instant now, Commands& commands);
  bool send_batch(TargetId id, Instant now, Commands& commands);
  bool fill(Line& line, Batch& batch, Instant now, Commands& commands);
  void add_followers(Line& line, const Record& head, Batch& batch, Instant now, Commands& commands);
  void add(Line& line, Record& record, Batch& batch, Instant now, Commands& commands);
  bool may_follow(const Line& line, const Record& record, Instant now) const;

  // placing.cc
  void take_place(Line& line, Instant now, Commands& commands);
  void serve_room(TargetId id, Instant now, Commands& commands);
  void call_aside(TargetQueues& target, Instant now, Commands& commands);
  bool serve_parked(TargetId id, Instant now, Commands& commands);

  // probing.cc
  bool asks_for_probe(TargetId id, Instant now) const;
  Line* next_to_probe(TargetId id, Instant now);
  Slot newest_at(TargetId id) const;
  void probe(Line& line, Instant now, Commands& commands);
  void serve_probe(TargetId id, Instant now, Commands& commands);
  void wake_other_probes(TargetId id, Instant now);

  // asking.cc
  Duration horizon_of(const Line& line) const;
  std::int64_t demand(Line& line, Instant now);
  Duration cover_of_due(const Line& line) const;
  std::int64_t room_of(const Line& line, Instant now) const;
  std::int64_t allowance(const Line& line, Instant now) const;
  bool asks_ahead(const Line& line) const;
  Instant may_ask_at(const Line& line) const;
  bool others_wait(const Line& line) const;
  bool spoken_for(const Line& line, Instant now) const;
  std::optional<LineWaits> obstacle_to_asking(const Line& line, Instant now) const;
  void consider_asking(Line& line, Instant now, Commands& commands);
  bool makes_way(const Line& line, Instant now) const;
  bool serve_turns(TargetId id, LineWaits what, Instant now, Commands& commands);
  void ask(Line& line, std::int64_t most, Instant now, Commands& commands);

  // shortage.cc
  Duration wait_ahead(Duration ahead, Duration took);
  Duration before_long(Duration wait);
  void learn_from_shortage(Line& line, KeylessIndex keyless, const PermitsAnswered& event,
                           Instant now);
  void ask_after(Line& line, KeylessIndex keyless, Duration wait, Duration reach, Instant now);
  void note_denied(Line& line, std::size_t granted);
  void forget_denial(Line& line);
  void reach_further(Line& line, KeylessIndex keyless, const PermitsAnswered& event, Instant now);

  // asking_for_flows.cc
  void ask_for_flows(Line& line, std::int64_t most);
  void take_flows(Line& line, const PermitsAnswered& event);
  void name_no_more(Line& line);
  void wait_for_others(Line& line, KeylessIndex keyless, const PermitsAnswered& event, Instant now);

  // contending.cc
  void serve_limit(KeylessIndex index, Instant now, Commands& commands);
  void serve_limits(Instant now, Commands& commands);
  Duration pause_for_held(Duration retry);
  void hold_back(Line& line, KeylessIndex keyless, Duration retry, Instant now);

  // admission_invariants.cc
  void check_counts() const;
  void check_wakers() const;
  void check_nothing_idle(Instant now) const;

  // waiting.cc
  bool stands_still(const Line& line, Instant now) const;
  LineCause cause_of(const Line& line, Instant now) const;

  // explaining.cc
  void explain_room(const Line& line, Instant now, Standing& standing) const;
  void explain_shortage(const Line& line, Instant now, Standing& standing) const;
  void explain_limit(const Line& line, Instant now, Standing& standing) const;

  const GateOptions& options_;
  Records& records_;
  Delivery& delivery_;
  Deadlines& deadlines_;
  std::vector<RouteStats>& stats_;
  LineQueue::Lines lines_;             // By LineId.
  std::vector<TargetQueues> targets_;  // By TargetId.
  std::vector<bool> paused_routes_;    // By RouteId.
  std::vector<StoreState> stores_;     // By StoreId.
  // What each refers to stands before it.
  Places places_;
  KeylessLimits keyless_limits_;
  RetryBudget retry_budget_;
  Picker picker_;
  // Given out last. They count from 2^47, so that the six bytes that permit ids have for an ask
  // begin with the bits that RFC 9562 asks for there in a UUID.
  std::uint64_t asks_ = std::uint64_t{1} << 47;
  Random random_;
};

}  // namespace einlass::core
