// Everything the gate may ask of the world. The composition root hands each command to the adapter
// that can do it; none of them may block, and those that end later end as an event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/contract/dead_letter_reason.h"
#include "core/contract/ids.h"
#include "units/flows.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::core {

// One permit: its index in the answer to an ask, and the instant for which it was granted.
struct Permit {
  AskId ask;
  std::uint16_t index = 0;
  Instant stamp;          // On the limiter's clock. Zero where the route has no limits.
  Permits cost{1};        // What it took of the limits whose cost comes from the record.
  bool stand_in = false;  // Granted by what stood in for a limiter that did not answer.
  // Where the flows of all gates share one of the limits: whose it is.
  std::uint8_t flow_level = 0;
  std::optional<FlowId> flow{};
};

// Ask the line's limiter for `min` to `max` permits, all within `horizon`. Ends as PermitsAnswered
// or PermitsFailed, exactly one. At most one ask of a line is open.
struct Ask {
  LineId line;
  AskId ask;
  Permits min;
  Permits max;
  Duration horizon;
  // Of each permit, for the limits whose cost comes from the record; or of the first, where they
  // differ: then `costs` has `max` of them, and as many of the first ones are granted as there are.
  // They belong to the gate and live until the ask has ended.
  Permits cost{1};
  bool again = false;  // The same ask has failed before: what it may have been granted is meant.
  std::span<const Permits> costs{};
  // Where the flows of all gates share one of the limits: for which of them. As long-lived.
  const AskingFlows* flows = nullptr;
};

// A permit that was not used goes back to all of the line's buckets. Nothing comes back. It may be
// lost on the way, or too old to be worth anything: then the limit grants that much less.
struct Release {
  LineId line;
  Permit permit;
  Duration age{};  // How long ago it came due; negative where it lies ahead.
};

// The attempt that a permit let through is over: the limits that count what is under way (and only
// those) have its place back. Nothing comes back. If it is lost, the place comes back with its
// lease.
struct Ended {
  LineId line;
  Permit permit;
};

// The line has no records, permits or questions left: its keys may be dropped.
struct ForgetLine {
  LineId line;
};

// Deliver the record now. Ends as DeliveryEnded.
struct Send {
  RecordId record;
  TargetId target;
  Attempt attempt;
  Permit permit;
  Instant due{};      // Of the permit, if there is one.
  // How long ago the record's last attempt failed; none: it has not failed yet.
  std::optional<Duration> failed_ago{};
  bool more = false;  // The next Send to this target goes with it, in one request and behind it.
};

// Write the record to its route's dead letter topic. Ends as DeadLetterEnded.
struct DeadLetter {
  RecordId record;
  DeadLetterReason reason;
};

// The record is finished or given up: its bytes may go. The last that is heard of this RecordId.
struct Forget {
  RecordId record;
};

// Why a partition is read no further.
enum class PartitionHoldReason : std::uint8_t {
  partition_full,  // It has as much inside as its route allows.
  gate_full,       // The gate as a whole has, or the partition would take what others may need.
  paused,          // Somebody has paused it, or its route.
  ledger_full,     // What is finished ahead of an unfinished record would no longer fit a commit.
  given_back,
};

// Stop reading a partition, or read on. A new assignment is read.
struct PartitionHold {
  PartitionId partition;
  PartitionHoldReason reason;
};
struct Read {
  PartitionId partition;
};

// Commit `next` (the offset to read next) for each partition, and with it which offsets above are
// finished too. Ends as CommitEnded; at most one is open. The entries belong to the gate and live
// until then.
struct CommitEntry {
  PartitionId partition;
  Offset next;
  std::string finished;  // As finished_map.h says; often empty.
};
struct Commit {
  std::span<const CommitEntry> entries;
};

// The records just sent to the target, and these offsets, in which they count as finished, take
// effect together or not at all. Ends with their attempts, which all end alike; until then nothing
// else is committed of these partitions. The entries belong to the gate and live until then.
struct Transact {
  TargetId target;
  std::span<const CommitEntry> entries;
};

// Nothing of this assignment is left in the gate and its last commit has ended.
struct PartitionDone {
  PartitionId partition;
};

// The answer to StopRequested: every partition is done.
struct Stopped {};

using Command = std::variant<Send, Forget, Ask, Release, Ended, ForgetLine, DeadLetter,
                             PartitionHold, Read, Commit, Transact, PartitionDone, Stopped>;

// In the order in which they are to be done. Cleared and used again by the caller.
using Commands = std::vector<Command>;

}  // namespace einlass::core
