// One line: the records that wait for the same set of buckets, the permits that it holds for them,
// and what it knows about when to ask for more. Plain state; what happens to it is in admission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/command.h"
#include "core/credit.h"
#include "core/ids.h"
#include "core/list.h"
#include "core/pace.h"
#include "core/record.h"
#include "units/time.h"

namespace einlass::core {

// A permit that was granted and not yet used.
struct HeldPermit {
  Permit permit;
  Instant due;
  bool ahead = false;  // It came due after it was granted.
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

  // At its place by due time: nearly always the last, but after a limiter has lost its memory a new
  // permit may be due before older ones.
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

// Why a line stands in a queue besides its own.
enum class LineWaits : std::uint8_t {
  not_at_all,
  room,          // Has a due permit and a ready record, but its target has no room.
  retries_room,  // The same, with nothing but retries.
  turn,          // Would ask, but as many permits are due as its target can use soon.
  turn_ahead,    // Would ask for permits ahead, but its target has enough of these.
  share,         // Would ask, but has nothing but retries, and fresh records go first.
  held_back,     // Would ask, but as many attempts are under way as a limit without key allows.
  store,         // Would ask, but the store does not answer.
};

// Which contest of Admission's.
using ContestIndex = std::uint16_t;
inline constexpr ContestIndex kNoContest = 0xffff;

struct Line {
  bool in_use = false;
  bool keep = false;   // Lives as long as the gate.
  bool apart = false;  // Its target's retries have only a share: they stand apart.
  RouteId route;

  // First come, first served. Retries are in a list of their own only where they stand apart.
  List<Record, &Record::in_line> ready;
  List<Record, &Record::in_line> retries;
  Credit credit;                // Between the two.
  std::uint32_t behind = 0;     // Its records that wait for others in their lanes.
  std::uint32_t total = 0;      // All its records inside.
  std::uint32_t in_flight = 0;  // Of these: at the target, and first in their requests.
  std::int64_t gathered = 0;    // How many of them might go together now.

  HeldPermits permits;
  std::optional<AskId> open_ask;
  std::int64_t asked = 0;       // The open ask's max.
  Duration asked_horizon;       // The open ask's.
  Permits asked_cost{1};        // The open ask's.
  Instant asked_at;             // When the open ask was sent, the last time.
  std::optional<AskId> failed;  // An ask that got no answer: it is asked again before any other.
  Instant next_ask;             // Not before.
  Instant foretold;             // When a permit may be had, as the last answer said.
  std::optional<LimitIndex> blamed;  // Which limit the last answer was short of.
  bool unanswered = false;           // The last ask that ended failed, though it is made again.
  bool bound = false;                // The last answer was short, or its permits lay ahead.
  bool held_back = false;            // The last answer was that too many attempts are under way.
  bool freed = false;                // An attempt of it has ended while its ask was open.
  bool after_end = false;            // It asks for the place of an attempt that has ended here.
  bool ahead = false;                // Several limits, of which a shared one binds: ask ahead.
  Pace pace;

  // What it counts for in its contests, so that a change can be booked.
  ContestIndex lacks = kNoContest;     // The limit without key that its last answer was short of.
  ContestIndex short_of = kNoContest;  // Its fresh records want of this and do not get.
  std::int64_t promised = 0;           // Permits held or asked for that its retries will use.

  LineWaits waits = LineWaits::not_at_all;
  ContestIndex shares = kNoContest;  // Whose share or place it waits for.
  std::uint64_t probed = 0;          // Its last turn among the probes of its target.
  Links in_queue;

  std::uint32_t count() const { return ready.size() + retries.size(); }
  bool only_retries() const { return ready.empty(); }
};

}  // namespace einlass::core
