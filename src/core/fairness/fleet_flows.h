// A line's flows under a limit whose permits the flows of all gates share: how many records of each
// wait for a permit, and how far the limiter says that each has been served.
//
// An ask tells of the flows that are likely to be next, and of all others together: of those that
// are not ahead of where all have come first who would be done first (WF2Q+:
// limits/fleet/fleet_share.h), and then who is ahead by least. So one that may be next is always
// among them. A flow that has begun to wait since the last answer begins where that says that flows
// begin; one that has no record without a permit is forgotten, for the limiter remembers it as long
// as that matters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/containers/heap.h"
#include "core/contract/flow.h"
#include "units/flows.h"

namespace einlass::core {

static_assert(kMostLevels == kMostShareLevels);

class FleetFlows {
 public:
  // Flows that one ask tells of.
  static constexpr std::size_t kLeastListed = 8;
  static constexpr std::size_t kMostListed = 64;

  // Flows that wait, all together: of each level their weights and tags added up, and their
  // records. Tags count from 0, and begin again there after the last value.
  struct Sums {
    std::array<std::int64_t, kMostLevels> weights{}, records{};
    std::array<std::uint64_t, kMostLevels> served{};
  };

  explicit FleetFlows(const ShareOptions& options);

  // It has that weight from here on. REQUIRES: it joined some time.
  void weigh(std::uint32_t flow, std::uint16_t weight);

  // A record of the flow is ready, or is no more; a permit is held for it, or no more. Flows are
  // dense numbers. REQUIRES: as often one as the other at most.
  void join(std::uint32_t flow, const FlowMark& mark, std::uint16_t weight);
  void leave(std::uint32_t flow);
  void promise(std::uint32_t flow);
  void promise_no_more(std::uint32_t flow);

  // Records without a permit.
  std::int64_t waiting() const;
  const Sums& sums() const { return sums_; }

  // Since when tags count, as told; and where the flows of a level begin that come now.
  std::int64_t epoch() const { return asking_.epoch; }
  std::span<const std::int64_t> time() const { return asking_.time; }

  // What another line was told since. REQUIRES: no ask is open.
  void told_elsewhere(std::int64_t epoch, std::span<const std::int64_t> time);

  // What an ask for so many permits says, for records that would take `wish` soon. `others` are
  // flows of other lines that wait for the same limit. REQUIRES: something waits.
  const AskingFlows& ask(std::int64_t most, std::int64_t wish, const Sums& others);

  // The flow that the ask names at that index. REQUIRES: nothing was asked since.
  std::uint32_t asked(std::uint16_t index) const { return listed_[index]; }
  std::span<const std::uint32_t> asked() const { return listed_; }

  // The answer to the last ask; its permits are promised by now.
  void told(const ToldFlows& told);

  // Whether some flow is not ahead of where all have come, these and the others.
  bool is_behind(const Sums& others);

  // That what is kept does not grow while nothing is told.
  void check() const;

 private:
  struct Flow {
    FlowId id;
    std::uint8_t level = 0;
    std::uint16_t weight = 1;
    std::uint32_t records = 0, promised = 0;
    bool waits = false;
    bool known = false;       // `served` is what the limiter has said since it waits.
    bool remembered = false;  // In `unknown_`.
    Served served = 0;
  };

  // The flows of a level that wait, each in one of both.
  struct Waiting {
    Heap<std::int64_t> due;    // Not ahead when last looked at: by when they would be done.
    Heap<std::int64_t> ahead;  // By how far they have been served.

    bool empty() const { return due.empty() && ahead.empty(); }
    void erase(std::uint32_t flow);
    // At most so many, of both kinds if there are.
    void list(std::size_t most, std::vector<std::uint32_t>& out) const;
  };

  void begin_anew(std::int64_t epoch, std::span<const std::int64_t> time);
  void update(Flow& flow);
  void begins(std::uint32_t flow);
  void set_served(std::uint32_t flow, Served served);
  void sort(std::uint8_t level, const Sums& others);

  const ShareOptions options_;
  std::vector<Flow> flows_;  // By their numbers.
  std::array<Waiting, kMostLevels> waiting_;
  Sums sums_;
  std::vector<std::uint32_t> unknown_;  // Who has begun to wait since the last answer, each once.
  AskingFlows asking_;                  // The last ask, with what was told last.
  std::vector<std::uint32_t> listed_;   // The flows that it names.
};

}  // namespace einlass::core
