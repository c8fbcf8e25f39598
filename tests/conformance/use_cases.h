// The limits of which it is tried how much a fleet uses, and how much each of them allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limits/contract/limit.h"
#include "limits/windows/spacing.h"
#include "units/time.h"

namespace einlass::conformance {

struct UseCase {
  std::string name;
  std::vector<limits::Limit> limits{};
  bool keyed = false;      // The first has a key; here all records have the same.
  Duration horizon{};      // That of the route.
  Duration attempt{};      // How long an attempt takes at least.
  Duration length{};       // For so long, beginning with a whole minute, ...
  std::int64_t allowed{};  // ... they allow so many permits and no more.

  // Where nothing is granted ahead and nothing saved up, what was taken can be taken again so long
  // after that, and not before somebody has asked: whatever passes until then is lost. That is the
  // time of an answer, and by how much the gate wakes up late.
  Duration round{};
  // At most so many at once, and as many again so long after somebody has asked for them. That is
  // less than the window has, so it loses nothing unless an answer takes longer than the rest.
  limits::Spacing pace{};
  // What the limit loses by nature where its permits come evenly, instead of all at once.
  std::int64_t lost_evenly = 0;
  // Whether it wakes up by itself; else the end of an attempt wakes it.
  bool by_timer = true;
  // What each gate does not take, so that others get some.
  std::int64_t left_to_others = 0;
};

// Where each permit is asked for by itself, for `length` at least; else for some seconds.
std::vector<UseCase> use_cases(Duration length);

// Of these those with one limit without key, as limits with a key: a line asks such a limit for
// itself, and not in the queue in which all lines wait for one without.
std::vector<UseCase> with_keys(const std::vector<UseCase>& cases);

}  // namespace einlass::conformance
