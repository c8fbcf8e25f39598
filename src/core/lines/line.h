// One line: the records that wait for the same set of buckets, the permits that it holds for them,
// and what it knows about when to ask for more. Plain state: core/admission does something with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/containers/list.h"
#include "core/contract/command.h"
#include "core/contract/ids.h"
#include "core/fairness/credit.h"
#include "core/fairness/flows.h"
#include "core/lines/left_to_others.h"
#include "core/lines/throughput.h"
#include "core/records/record.h"
#include "units/time.h"

namespace einlass::core {

// The most permits that one ask is for, and that a line holds at a time.
inline constexpr std::int64_t kMostPerAsk = 256;
inline constexpr std::int64_t kMostHeld = 1024;

// A record that a permit was asked for with.
struct Wanted {
  RecordId record{kNoSlot, 0};
  Permits cost{1};
  bool retry = false;  // One of those that stand apart.
  Slot flow = kNoSlot;
};

// A permit that was granted and not yet used.
struct HeldPermit {
  Permit permit;
  Instant due;
  bool granted_ahead = false;  // It came due after it was granted.
  Wanted wanted{};     // Where costs come from the records: what it was asked for with.
};

// The permits of a line, the first due at the front: a vector whose front moves on, for most lines
// have none most of the time.
class HeldPermits {
 public:
  bool empty() const { return front_ == held_.size(); }
  std::size_t size() const { return held_.size() - front_; }
  const HeldPermit& front() const { return held_[front_]; }
  const HeldPermit& operator[](std::size_t i) const { return held_[front_ + i]; }
  auto begin() const { return held_.begin() + static_cast<std::ptrdiff_t>(front_); }
  auto end() const { return held_.end(); }

  // In the order of due times: nearly always behind all, but after a limiter has lost its memory a
  // new permit may be due before older ones.
  void insert(const HeldPermit& permit) {
    if (front_ > 0 && held_.size() == held_.capacity()) {
      held_.erase(held_.begin(), begin());
      front_ = 0;
    }
    held_.push_back(permit);
    for (std::size_t i = held_.size() - 1; i > front_ && held_[i].due < held_[i - 1].due; --i) {
      std::swap(held_[i], held_[i - 1]);
    }
  }

  void pop_front() {
    if (++front_ < held_.size()) return;
    held_.clear();
    front_ = 0;
  }

 private:
  std::vector<HeldPermit> held_;
  std::size_t front_ = 0;
};

// Which of Admission's limits without key.
using KeylessIndex = std::uint16_t;
inline constexpr KeylessIndex kNoKeyless = 0xffff;

// What a line waits for besides its alarm. It stands in one queue at most.
enum class LineWaits : std::uint8_t {
  not_at_all,
  room,        // For a place at its target.
  parked,      // The same; but it has its part of the places, and the rest is for others.
  turn,        // To ask: as many permits are due as its target can use soon.
  turn_ahead,  // To ask for permits ahead: its target has enough of these.
  limit,       // To ask: a limit without key is short, and others ask it first.
  store,       // To ask: the store does not answer.
};

struct Line {
  bool in_use = false;
  bool keep = false;    // Lives as long as the gate.
  bool paused = false;  // By itself, whatever its route is.
  RouteId route;
  LineId id;  // Its index in the table of lines.

  // First come, first served. Retries are in a list of their own only where they stand apart.
  List<Record, &Record::in_line> ready;
  List<Record, &Record::in_line> retries;
  List<Record, &Record::in_line> aside;  // Those whose cost its limits could never pay.
  std::int64_t retry_share = 100;        // Its target's.
  std::unique_ptr<Flows> flows;  // Of those in `ready`, where its route has a share; else null.
  Credit credit;                 // Between the two.
  std::uint32_t behind = 0;      // Its records that wait for others in their lanes.
  std::uint32_t total = 0;       // All its records inside.
  std::uint32_t in_flight = 0;   // Of these: at the target, and first in their requests, ...
  std::uint32_t followers = 0;   // ... and there, but behind another.
  std::int64_t gathered = 0;     // How many of them might go together now.

  HeldPermits permits;
  std::optional<AskId> open_ask;
  std::int64_t asked = 0;      // The open ask's max.
  bool asked_ahead = false;    // The open ask is for permits that come due later.
  Duration asked_horizon;      // The open ask's.
  Permits asked_cost{1};       // The open ask's; of its first permit, where they differ.
  std::vector<Wanted> wanted;  // What it was asked for with, where costs come from the records.
  std::vector<Permits> asked_costs;          // Then: of each of them, if not all cost the same.
  const AskingFlows* asked_flows = nullptr;  // The open ask's, where gates share a limit by flows.
  std::int64_t wish = 0;                     // Permits that it has use for besides those it holds.
  Instant asked_at;                          // When the open ask was sent, the last time.
  std::optional<AskId> failed;  // An ask that got no answer: it is asked again before any other.
  Instant next_ask;             // Not before.
  Instant next_same_ask;        // Nor before this with the same horizon as the last time.
  KeylessIndex short_of = kNoKeyless;  // The limit without key that was short of it last.
  Instant foretold;                    // When a permit may be had, as the last answer said.
  std::optional<LimitIndex> blamed;    // Which limit the last answer was short of.
  RecordId denied{kNoSlot, 0};         // Where costs differ: the record that it was short for.
  Duration reach;  // How far ahead it asks for one permit, where others were there first; else 0.
  bool unanswered = false;   // The last ask that ended failed, though it is made again.
  bool bound = false;        // The last answer was short, or its permits lay ahead.
  bool held_back = false;    // Too many attempts are under way for a limit with a key of its own.
  bool freed = false;        // An attempt of it has ended while its ask was open.
  LeftToOthers left;         // Of its places under a limit with a key.
  bool may_reach_ahead =
      false;  // Though it has several limits: the one that was short last has no key.
  bool changed = false;      // Its limits have changed since its open ask was sent,
  bool all_changed = false;  // and those without a key among them.
  bool goes_first = false;   // It asked that limit in its turn, and was given nothing.
  bool costs_differ = false;  // Of its permits, those that it has asked for among them.
  bool had_turn = false;     // Its target has use for its permits; a limit makes it wait.
  bool lapsed = false;       // Its permit has, while it waited for a place at its target.
  Throughput throughput;

  LineWaits waits = LineWaits::not_at_all;
  KeylessIndex limit = kNoKeyless;  // Whose queue it stands in, where it waits for a limit.
  bool among_retries = false;       // It stands with the lines that have nothing but retries.
  std::uint64_t probed = 0;         // Its last turn among the probes of its target.
  Links in_queue;

  bool is_at_target() const { return in_flight + followers > 0; }
  // Its target's retries have only a share: they stand apart.
  bool apart() const { return retry_share < 100; }
  std::uint32_t count() const { return ready.size() + retries.size(); }
  FleetFlows* fleet() const { return flows ? flows->fleet() : nullptr; }
  bool only_retries() const { return ready.empty() && !retries.empty(); }
};

}  // namespace einlass::core
