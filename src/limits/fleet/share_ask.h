// One ask's look at a share: which flow is next, and what is to be left for others. For src/limits
// alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "limits/fleet/fleet_share.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// Nothing is written before end().
class ShareAsk {
 public:
  // `cost` is what a permit takes of the limit.
  ShareAsk(FleetShare& share, const ShareDemand& demand, Permits cost, Instant now);

  // The flow that is next if no gate is heard of until `at`, by its index in the ask; none if none
  // waits any more.
  std::optional<std::size_t> next(Instant at) const;

  // How many units the limit must still have behind a permit of that flow, if no gate is heard of
  // until `at`; with or without what other flows of its own gate are to have.
  std::int64_t left_for_others(std::size_t flow, Instant at, bool of_gate = true) const;

  // When the flow that is next by then could have a permit, if nobody else asks. at(units) says
  // when the limit could grant one and have as much left; none if waiting does not bring that
  // nearer. REQUIRES: a flow waits.
  template <class At>
  Instant retry(At at) const {
    // Who is next, and what is left for others, changes where a gate is not heard of any more.
    std::vector<Instant> ends;
    for (const FleetShare::Gate& gate : others_) ends.push_back(gate.until);
    std::sort(ends.begin(), ends.end());
    ends.push_back(kNever);
    Instant time = now_;
    for (const Instant end : ends) {
      const std::optional<Instant> could = at(left_for_others(*next(time), time));
      if (could && std::max(time, *could) < end) return std::max(time, *could);
      time = end;
    }
    return now_ + demand_.idle_after;
  }

  // A permit was booked for the flow. REQUIRES: it is next(now).
  void take(std::size_t flow);

  // What the state says of the flows, if nothing is asked.
  void tell(ToldFlows& answer) const;

  // What was taken is paid. `retry` is what the asker was told, and `waits_here` says that what it
  // did not get waits for this limit.
  void end(std::optional<Duration> retry, bool waits_here, ToldFlows& answer);

 private:
  struct Flow {
    FleetShare::FlowKey key;
    std::uint16_t weight;
    std::int64_t records;
    Served served;  // Counted from the level's time, ...
    Served before;  // ... and as it was when the ask came.
    std::uint32_t slots;  // The gates in which it waits, as bits.
    std::int64_t granted = 0;

    bool waits() const { return records > granted; }
    std::int64_t tag() const;
  };
  struct Level {
    std::int64_t weights = 0;  // Of this gate's flows that wait, those of the rest too.
    Served served = 0;
    std::int64_t waiting = 0;  // How many flows of the ask.
  };

  void remember_own(bool claims);
  void look_at_others();
  std::int64_t wanted(std::uint8_t level, Instant at, bool of_gate) const;
  bool waited_for(std::uint8_t level, Instant at) const;
  std::uint8_t top(Instant at) const;
  bool due_by_credit(std::uint8_t level, Instant at) const;
  std::int64_t short_of_level(std::size_t flow, Instant at, bool of_gate) const;
  void charge(std::uint8_t taken);
  void write_flows(const FleetShare::Gate& own, bool waits_here, ToldFlows& answer);
  FleetShare::Gate record(std::optional<Duration> retry, bool waits_here);
  std::int64_t furthest(std::uint8_t level) const;
  void move_time();

  FleetShare& share_;
  const ShareDemand demand_;
  const AskingFlows& of_;
  const std::int64_t cost_;
  const Instant now_;
  bool fresh_ = false;  // There is no state that it goes on from.
  std::optional<FleetShare::Gate> own_;
  std::array<std::int64_t, kMostShareLevels> time_{}, credit_{};
  std::array<Level, kMostShareLevels> levels_{};
  std::array<WaitingFlows, kMostShareLevels> rest_{};  // `wanted` in units.
  std::vector<Flow> flows_;
  std::vector<FleetShare::Gate> others_;  // Those that wait.
};

}  // namespace einlass::limits
