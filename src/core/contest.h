// What several lines of one target want of the same scarce thing: the target's room, or a limit
// without key. Plain state; what happens to it is in sharing.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "core/credit.h"
#include "core/ids.h"
#include "core/line.h"
#include "core/list.h"
#include "units/time.h"

namespace einlass::core {

struct Contest {
  // Retries that may be saved up: lines ask for several permits at a time.
  static constexpr std::int64_t kMostSaved = 32;

  TargetId target;
  LimitId limit{};  // Of a contest for a limit.
  Credit credit{};
  std::uint32_t short_lines = 0;  // Lines whose fresh records want of it and do not get.
  std::int64_t promised = 0;      // Permits that lines hold or have asked for, for retries.
  // The last retry came from a line that had fresh records too. Such lines and those that have
  // nothing but retries take turns.
  bool mixed_last = false;
  List<Line, &Line::in_queue> retries{};  // Lines with nothing but retries that wait for a share.

  // The first contest of the same limit, of whatever target (a room's is itself). Where the limit
  // counts attempts under way, that one has the lines that it holds back.
  ContestIndex first_of_limit = kNoContest;
  List<Line, &Line::in_queue> held_back{};
  bool freed = false;  // A place came free, and nobody waited for it but who has an open ask.
  Instant look_at{};   // When the first of these asks if nobody lets it before.
  std::optional<Instant> leave_one_at{};  // A place that comes free after this is left to others.
};

}  // namespace einlass::core
