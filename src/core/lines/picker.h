// Which of a line's records is next, and whether it may leave.
//
// First come, first served, but: where retries stand apart, RetryBudget says which kind; where its
// route has a share, Flows says which flow. While the target's breaker is not closed the next one
// is the probe, in turn the record that came last and one of all by lot. Where costs differ, or
// gates share a limit by flows, a permit goes to the record that it was asked for with; if that one
// is gone, to the first of its flow or kind, or to whoever is next, if that one costs the same;
// else back. So who comes in between waits until those are served that permits were asked for
// before; but within a share of one gate, whose turn it is takes a permit where all cost the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/list.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "core/delivery/delivery.h"
#include "core/lines/line.h"
#include "core/lines/retry_budget.h"
#include "core/records/record.h"
#include "units/time.h"

namespace einlass::core {

// Belongs to Admission. It takes no record and no permit out of a line, and writes into one only
// what its ask is for.
class Picker {
 public:
  // All live longer.
  Picker(const GateOptions& options, const Records& records, const Delivery& delivery,
         const RetryBudget& budget);

  // Whether a record may leave, if there is a place for it: one is ready, and where its route has
  // limits a permit has come due that is for it.
  bool may_send(const Line& line, Instant now) const {
    if (line.count() == 0) return false;
    if (route_of(line).limit_count == 0) return true;
    return !line.permits.empty() && line.permits.front().due <= now && !fits_none(line);
  }

  // The record that leaves with the first permit. REQUIRES: may_send().
  Slot first_of(const Line& line) const {
    return route_of(line).limit_count > 0 && by_record(line) ? fitting(line) : next_of(line);
  }

  // Whose turn it is, whatever the permits are for; kNoSlot if no record is ready.
  Slot next_of(const Line& line) const {
    Slot next = line.flows ? line.flows->front() : line.ready.front();
    if (!line.retries.empty() && (next == kNoSlot || budget_.retry_goes_first(line))) {
      next = line.retries.front();
    }
    const bool probes = !breaker_of(line).closed() && line.count() > 1;
    return probes ? for_probe(line, next) : next;
  }

  // Nobody is left to use the first permit, its time is over, or it is for another cost than that
  // of the records whose turn it may be. REQUIRES: there is a permit.
  bool is_useless(const Line& line, Instant now) const {
    const HeldPermit& first = line.permits.front();
    if (line.total == 0 || first.due + route_of(line).use_within < now) return true;
    return line.count() > 0 && fits_none(line);
  }

  // Whether not each permit of the line is for each of its records.
  bool by_record(const Line& line) const {
    return route_of(line).cost_varies || line.fleet() != nullptr;
  }

  // Whether each permit is for whoever has the turn in its share: all that the line has, and has
  // asked for, are of one cost.
  bool in_turn(const Line& line) const {
    return line.flows && line.fleet() == nullptr && by_record(line) && !line.costs_differ;
  }

  // Whether the record is one of the line's that could leave.
  bool is_ready(const Line& line, RecordId id) const;

  // The record that no permit will ever be granted for; kNoSlot if it is gone by now.
  // REQUIRES: the last ask was granted nothing, what it wanted is known still, and some are ready.
  Slot hopeless_of(const Line& line) const;

  // foreseeing.cc: where costs come from the records.

  // The records that go next, behind those that permits were asked for with: `most` at most. Until
  // the next call.
  const std::vector<Slot>& foresee(const Line& line, std::size_t most);

  // What the line asks for is for the records that were just foreseen. REQUIRES: there are as many.
  void want(Line& line, std::int64_t most) const;

  // The ask has ended: all from there on were asked for in vain.
  static void want_no_more(Line& line, std::size_t from);

 private:
  const RouteOptions& route_of(const Line& line) const { return options_.routes[line.route.value]; }
  const Breaker& breaker_of(const Line& line) const {
    return delivery_.breaker(route_of(line).target);
  }

  // The first permit is for none of the records whose turn it may be.
  bool fits_none(const Line& line) const { return by_record(line) && fitting(line) == kNoSlot; }
  Slot fitting(const Line& line) const;
  Slot for_probe(const Line& line, Slot next) const;
  Slot youngest_of(const Line& line) const;
  Slot record_at(Slot first, std::uint32_t index) const;
  void foresee_fresh(const Line& line, std::size_t held, std::size_t most);

  const GateOptions& options_;
  const Records& records_;
  const Delivery& delivery_;
  const RetryBudget& budget_;
  std::vector<Slot> fresh_foreseen_, foreseen_;  // The last time.
};

}  // namespace einlass::core
