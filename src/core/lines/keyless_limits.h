// All limits without key, and which lines may ask them (one of them: keyless_limit.h).
//
// A line asks when it likes while none of its limits without key is short. Once one is, it stands
// in that one's queue, and in no other: who waits for two would lose his turn at each while he
// waits for the other.
//
// What comes free of a limit on attempts under way is not foretold, but for the attempts that end
// here: each lets one more line ask. What ends at other gates is looked for now and then.
//
// What holds it together (checked in tests after each event, admission_invariants.cc): each limit
// knows how many asks are open of lines that have it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/fairness/credit.h"
#include "core/fairness/fleet_flows.h"
#include "core/lines/keyless_limit.h"
#include "core/lines/line.h"
#include "core/lines/line_queue.h"
#include "units/flows.h"
#include "units/time.h"

namespace einlass::core {

// Belongs to Admission, which puts lines into its queues and wakes them. It changes no line itself,
// but tells the flows of one what was told of all.
class KeylessLimits {
 public:
  // Both live longer. Routes and their limits are as many for as long.
  KeylessLimits(const GateOptions& options, const LineQueue::Lines& lines);

  KeylessIndex size() const { return static_cast<KeylessIndex>(limits_.size()); }
  const KeylessLimit& operator[](KeylessIndex index) const { return limits_[index]; }

  // Those that the line's route has.
  const std::vector<KeylessIndex>& of(const Line& line) const {
    return by_route_[line.route.value].all;
  }

  // Which of them has that index among the route's limits, kNoKeyless if that one has a key; and
  // which index one of them has. REQUIRES: it is one of them.
  KeylessIndex at_index(const Line& line, LimitIndex index) const {
    return by_route_[line.route.value].by_index[index.value];
  }
  LimitIndex index_of(const Line& line, KeylessIndex index) const;

  // The limit for which the line must wait before it asks; kNoKeyless if there is none.
  KeylessIndex limit_before(const Line& line, Instant now) const;

  // Whether the line whose turn it is may ask the limit.
  bool lets_ask(KeylessIndex index, Instant now) const;

  // How many permits the line may ask for, so that others' turns come soon, and other gates get
  // what is left to them.
  std::int64_t most_in_turn(const Line& line, Instant now) const;

  // The line has sent an ask; it has ended, and was short of this one (kNoKeyless: of none without
  // key).
  void asked(const Line& line);
  void answered(const Line& line, KeylessIndex short_of, std::int64_t granted, Instant now);

  // What an answer has said: nothing is to be had before `at`, by one who looks `reach` ahead, and
  // something at `foretold`, where that is known.
  void was_short(KeylessIndex index, Instant at, Duration reach, Instant foretold);

  // What it has said holds no longer: who is next may ask from that instant on.
  void let_ask(KeylessIndex index, Instant at);

  // An attempt of the route starts here; it has ended: one more may be had of its limits on those
  // under way.
  void started(RouteId route);
  void ended(RouteId route, bool full, Instant now);  // As of LeftToOthers.

  // The numbers of all are others now, or of those that the line's route has.
  void forget_shortage(Instant now);
  void forget_shortage(const Line& line, Instant now);

  // keyless_limits_of_fleet.cc: the limit whose permits the flows of all gates share.
  // REQUIRES: the line's route has one.

  // The flows of other lines that wait for it.
  FleetFlows::Sums others_of(const Line& line) const;

  // Tells the line's flows what was told last of all flows; and an answer to the line tells it.
  void tell(const Line& line);
  void told(const Line& line, const ToldFlows& flows);

  // Who waits for it, and what its retries may take. Joining and leaving are Admission's, which
  // keeps the line's own word for it (W1).
  LineQueue& turns(KeylessIndex index) { return limits_[index].turns; }
  SharedCredit& retries(KeylessIndex index) { return limits_[index].retries; }

  // Something may be had again, or somebody else is first; until it has been served.
  void touch(KeylessIndex index) { limits_[index].touched = true; }
  void served(KeylessIndex index) { limits_[index].touched = false; }
  bool any_touched() const { return std::ranges::any_of(limits_, &KeylessLimit::touched); }

 private:
  struct OfRoute {
    std::vector<KeylessIndex> all;
    std::array<KeylessIndex, kMostLimits> by_index;  // kNoKeyless for those with a key.
  };

  KeylessIndex add(LimitId id);
  template <class Change>
  void for_each_held(RouteId route, Change change);
  KeylessIndex queues_at(const Line& line, Instant now) const;
  KeylessIndex fleet_limit_of(const Line& line) const;

  const GateOptions& options_;
  const LineQueue::Lines& lines_;
  std::vector<KeylessLimit> limits_;
  std::vector<OfRoute> by_route_;  // By RouteId.
};

}  // namespace einlass::core
