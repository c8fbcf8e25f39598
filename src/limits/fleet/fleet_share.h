// One limit's permits divided among the flows of all gates that share it, by weight and level.
//
// Each flow has a tag: how far it has been served, by its weight. A gate that did not get all that
// it wanted is remembered, with its waiting flows added up, until it asks again or its time is
// over. So the state is one entry for each gate and for each flow that was served lately; nobody
// tells more of his flows than those that his ask is for, and the sums of the others.
//
// The rule. Who is next among the flows of whoever asks is worst-case fair queueing (WF2Q+: Bennett
// and Zhang, 1997), with the level of its own gate as the time: of the flows that are not ahead of
// that level the one that would be done first. A permit is granted only if behind it the limit
// still has, within the horizon, what the flows of other gates are short of that level: those of
// each gate together, so that the gate with the lowest level is held up by none. Between
// levels whoever is above goes first, but each level below earns a part and goes once that is a
// whole unit.
//
// Why it holds. What an ask leaves is not booked, so it is there when the others ask, which they do
// well before it comes due: nothing is kept for anybody by name, and nothing runs idle while
// somebody asks within a horizon. Whoever is behind is let through as soon as he asks; whoever is
// ahead waits until the others have come to his level, or are not heard of any more. So each gate
// is within one permit of the level of all others, up to what came free since it asked last; and
// each flow within its gate as WF2Q+ has it, for an ask names those of its flows that are not ahead
// and would be done first. Where the state knows better, and all that it names are ahead, it gets
// nothing while others of its gate are behind, and the next ask names these. A flow that waits in
// several gates is one: they all move its tag, and the sums of the others in which it waits move
// with it.
//
// The same in lua/acquire_shared.lua, to the last digit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "units/flows.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// One asker, for as long as it runs.
using GateId = Strong<struct GateIdTag, std::uint64_t>;

// How long others wait for a gate that does not ask.
inline constexpr Duration kIdleAfter = Duration::millis(100);

// What an ask says besides the buckets.
struct ShareDemand {
  GateId gate;
  Duration idle_after = kIdleAfter;
  const AskingFlows* of = nullptr;
};

// The state. There is none while nobody waits: a default one.
class FleetShare {
 public:
  // A unit of a bucket, as `served` counts it.
  static constexpr std::int64_t kUnit = 1'000;

  // Gates of which it is known which flows wait there.
  static constexpr std::uint8_t kMostSlots = 32;

  bool empty() const { return gates_.empty(); }

  // How many are remembered: those that wait, and about as many as were served lately.
  std::size_t flows() const { return flows_.size(); }

  // A permit was not used, of that many units.
  void give_back(std::uint8_t level, FlowId flow, Permits units);

 private:
  friend class ShareAsk;

  // A flow that was served or waits.
  struct Flow {
    Served served = 0;  // Counted from 0.
    std::uint16_t weight = 1;
    std::uint32_t slots = 0;  // The gates in which it waits, as bits.
  };
  struct Gate {
    GateId id;
    std::optional<std::uint8_t> slot;  // None: of this one it is not known which flows wait there.
    Instant until;
    std::array<WaitingFlows, kMostShareLevels> sums{};  // `wanted` in units.

    bool waits(Instant now) const;
    bool has(std::uint32_t slots) const { return slot && (slots >> *slot & 1) != 0; }
  };
  using FlowKey = std::pair<std::uint8_t, FlowId>;  // Level and flow.

  bool serves(GateId gate, std::uint8_t levels, Instant now);
  const Flow* known(const FlowKey& key, Permits cost) const;
  void forget_some(Permits cost, std::size_t of);

  std::int64_t epoch_ = 0;
  std::uint8_t levels_ = 0;
  std::uint8_t slots_ = 0;  // Given out.
  std::array<std::int64_t, kMostShareLevels> time_{}, credit_{};
  std::vector<Gate> gates_;  // In the order in which they came.
  std::map<FlowKey, Flow> flows_;
  FlowKey looked_at_{};  // Where forget_some() goes on.
};

}  // namespace einlass::limits
