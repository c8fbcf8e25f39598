// Everything that can happen to the gate. Events are values; what they point to lives as stated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/contract/dead_letter_reason.h"
#include "core/contract/finished_map.h"
#include "core/contract/flow.h"
#include "core/contract/ids.h"
#include "units/flows.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::core {

// The source was given a partition and will read it from the offset `next`. Records in `finished`
// were finished before: they are not delivered again. They are as write_finished() wants them.
struct PartitionAssigned {
  PartitionId partition;
  RouteId route;
  Offset next;
  std::vector<OffsetRange> finished{};
  // The group does not have `next`: a policy chose it, and might choose otherwise the next time.
  bool begun = false;
};

// Reading went on at `next`, for the records before it that have not come are there no longer.
struct PartitionMoved {
  PartitionId partition;
  Offset next;
};

// The group wants the partition back. What is in flight may end until `deadline`; the rest is
// returned at once. Answered by PartitionDone.
struct PartitionRevoked {
  PartitionId partition;
  Instant deadline;
};

// The partition is somebody else's already: nothing of it may be committed. Answered by
// PartitionDone in the same turn.
struct PartitionLost {
  PartitionId partition;
};

// A record was read and copied into the record store. One that was read just before its partition
// was held is taken in all the same; one of a partition that is given back is forgotten at once.
// REQUIRES: offsets of a partition rise.
struct RecordArrived {
  PartitionId partition;
  RecordId record;
  Offset offset;
  LineId line;
  std::optional<LaneKey>
      lane;          // Only looked at where the route is ordered by key; none = no order.
  Bytes size;        // What it counts as, by the memory it takes, in the bounds of what is inside.
  Permits cost{1};   // Of its permit, for the limits whose cost comes from the record.
  // Why nothing but a dead letter can become of it; none where it may be sent.
  // REQUIRES: where there is a reason, its route has a dead letter topic.
  std::optional<DeadLetterReason> doom{};
  Bytes content{};   // What there is to write of it, for the bounds of a request.
  // What a request with several writes to name it and those whose offsets follow, one by one; 0: it
  // names no such record.
  std::uint16_t name_size = 0;
  FlowMark flow{};  // Only looked at where the route has a share.
  // By which it goes; none for its partition's. REQUIRES: for another one, that neither's target is
  // transactional.
  std::optional<RouteId> route{};
  // Until then it waits, and what must leave after it. In the past where it need not.
  Instant not_before{};
  // From then on it is no longer sent, and becomes a dead letter. REQUIRES: where there is such an
  // instant, its route has a dead letter topic.
  Instant expires = kNever;
  // What names it goes on from no other's name, whatever its offset: it was moved from elsewhere.
  bool named_apart = false;
};

// A record was read that its route leaves out: it is finished, and nothing of it is kept.
// REQUIRES: as RecordArrived.
struct RecordFiltered {
  PartitionId partition;
  Offset offset;
  std::optional<RouteId> route{};  // As above.
};

// A limiter's answer to Ask: as many permits as `due` is long, at most what was asked for.
struct PermitsAnswered {
  LineId line;
  AskId ask;
  // When each permit comes due, counted from this event; never falls. Negative only where an ask
  // was asked again. Belongs to the adapter and lives until the next Ask for this line is
  // performed.
  std::span<const Duration> due;
  Instant limiter_now;  // On the limiter's clock: the instant of permit i is limiter_now + due[i].
  // Where fewer were granted than asked for: when asking again can succeed, counted from this
  // event; none if no waiting helps, or if what was granted is granted again.
  std::optional<Duration> retry{};
  // Only looked at where fewer were granted: which limit has one more last, and how far ahead the
  // limiter went. That is the ask's horizon, or less where one of the limits bears less.
  LimitIndex reason{};
  Duration ahead{};
  // Somebody answers instead of a limiter that does not. REQUIRES: it names a time to ask
  // again, but where costs vary: then the record may wait, and others of its line cost less.
  bool stand_in = false;
  // To an ask for flows: whose the permits are. Null where that is nobody's in particular. Lives as
  // long as `due`.
  const ToldFlows* flows = nullptr;
};

// No answer will come: the call failed or timed out. It may have been granted all the same: the
// gate asks the same again, under the same id, and so learns of those permits.
struct PermitsFailed {
  LineId line;
  AskId ask;
  Duration wait = Duration::millis(50);  // Before it is asked again, where nobody stands in.
};

// What the line's limits with a key allow has changed: it asks again at once, whatever the last
// answer said. An answer that is still to come may be of the old numbers. The line may be gone by
// now.
struct LimitsChanged {
  LineId line;
  bool shared = false;  // So have those without a key, which other lines have too.
};

// A limiter's store does not answer, or answers again. Between the two the gate asks it nothing.
struct StoreDown {
  StoreId store;
};
struct StoreUp {
  StoreId store;
};

enum class Outcome : std::uint8_t { accepted, retry, refused };

// An attempt ended. Exactly one for each Send, and all that is known of it.
struct DeliveryEnded {
  RecordId record;
  Attempt attempt;
  Outcome outcome;
  std::optional<Duration>
      hold_target{};  // Retry-After: nothing more goes to this target for so long.
  // False where the target could take nothing at all before somebody acts, as where its topic is
  // not there: a retry that brings the record no nearer to its dead letter.
  bool counts = true;
  // How many records of one request have this outcome together, without a word on which of them is
  // to blame. REQUIRES: the ends of one request's attempts come one after the other.
  std::uint32_t together = 1;
  bool too_large = false;  // What was refused, was for its size.
  // False where the target was never asked, as for a record without a part of its URL: whether the
  // target works is not known from that.
  bool asked = true;
  // False where nothing was sent, as where a record's host is left alone: no attempt at the target.
  bool sent = true;
  Duration wait{};  // The record, to be tried again, is not so before.
  // The target answered, with a failure.
  bool answered = false;
  // It is to be tried again, and that may be for the sake of one record of the request and not of
  // the target: fewer go together next time.
  bool over_one = false;
  // For people; the gate does not look at these. The answer's status, 0 where there was no answer,
  // or where the kind of target has none; and why it was not accepted.
  unsigned status = 0;
  std::string reason{};
};

// Another gate was told by the target to stop: nothing goes to it for so long here either.
struct TargetHold {
  TargetId target;
  Duration length;
};

// The target has begun all that was sent to it, and takes more (TargetOptions::at_once).
struct TargetReady {
  TargetId target;
};

// Somebody has paused it, or lets it go on: nothing of it leaves, attempts under way end as they
// would. Nothing more is read of the partitions of a paused route, nor of one that is paused itself
// (what is inside of that goes on). The same may be said again.
struct RoutePaused {
  RouteId route;
  bool paused = false;
};
struct LinePaused {
  LineId line;
  bool paused = false;
};
struct PartitionPaused {
  PartitionId partition;
  bool paused = false;
};

// The dead letter topic has the record, or could not be reached (then it is tried again).
struct DeadLetterEnded {
  RecordId record;
  bool acknowledged;
};

enum class CommitResult : std::uint8_t {
  committed,
  failed,  // May be tried again.
  fenced,  // The group no longer knows us: no further commit of these assignments, ever.
};

// The answer to Commit.
struct CommitEnded {
  CommitResult result;
  // Where it failed: the partitions of which there is nothing to try again, for they are committed
  // all the same, or their topic is gone. Belongs to the source and lives until the next Commit.
  std::span<const PartitionId> settled{};
};

// Drain: read nothing more, let what is in flight end until `deadline`, return the rest, commit.
// Answered by Stopped.
struct StopRequested {
  Instant deadline;
};

// next_wakeup() was reached.
struct TimePassed {};

using Event =
    std::variant<RecordArrived, RecordFiltered, DeliveryEnded, PermitsAnswered, PermitsFailed,
                 LimitsChanged, StoreDown, StoreUp, PartitionAssigned, PartitionMoved,
                 PartitionRevoked, PartitionLost, DeadLetterEnded, TargetHold, TargetReady,
                 RoutePaused, LinePaused, PartitionPaused, CommitEnded, StopRequested, TimePassed>;

// Where adapters put what happened, in order, until the loop hands it to the gate. The loop owns
// it; adapters only append, on the loop's thread.
using Events = std::vector<Event>;

}  // namespace einlass::core
