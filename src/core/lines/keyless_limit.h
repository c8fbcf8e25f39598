// A limit without key, as the gate sees it: many lines draw on it, of any target.
//
// While it grants what it is asked for, each line asks when it likes. Once it is short the lines
// wait for it in one queue, and one asks at a time, when something can be had again: so the limiter
// is asked as often for a thousand lines as for one, and the order of asking is that of the queue.
// Each answer that is not short doubles how many may ask at once.
//
// Plain state; what happens to it is in keyless_limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/contract/ids.h"
#include "core/fairness/credit.h"
#include "core/lines/left_to_others.h"
#include "core/lines/line_queue.h"
#include "units/time.h"

namespace einlass::core {

struct KeylessLimit {
  LimitId id;
  LineQueue turns{};       // Lines that want to ask, and may not yet.
  SharedCredit retries{};  // Of what it grants.
  std::uint32_t open_asks = 0;
  std::uint32_t most_open = kAny;
  Instant not_before{};  // Nothing is to be had before, as the last answer said.
  Duration reach{};      // How far ahead who was told that looks.
  Instant foretold{};    // When something is to be had, where it is known.
  // It counts attempts under way, and one has ended here since somebody asked.
  bool freed = false;
  LeftToOthers left{};
  std::uint32_t under_way = 0;  // Attempts of this gate.
  bool touched = false;
  // Where all gates share it by flows: what was told last of all flows.
  std::int64_t epoch = 0;
  std::vector<std::int64_t> time{};
  std::int64_t granted = 0;     // Since it was short the last time.
  std::int64_t last_round = 0;  // From one time that it was short to the next, or a bit less.

  // It was short lately.
  bool binds() const { return most_open < kAny; }

  // Who is first may ask from then on.
  Instant may_ask_at() const {
    return freed ? left.may_ask_at() : std::max(not_before, left.may_ask_at());
  }

  // How many permits a line may ask for in its turn: so many that half of the lines have one until
  // it is short again, but some for each call.
  std::int64_t most_in_turn() const {
    const std::int64_t waiting = turns.size();
    return waiting < 2 ? kAny : std::max(kLeastInTurn, 2 * last_round / waiting);
  }

  void was_short(Instant until, Duration looks_ahead) {
    most_open = 1;
    not_before = until;
    reach = looks_ahead;
    last_round = std::max(granted, last_round - last_round / 8);
    granted = 0;
  }

  // Who was granted a place that had just come free says nothing of others.
  void was_not_short(Instant now) {
    if (now >= not_before) most_open = std::min(most_open * 2, kAny);
    if (!binds()) granted = last_round = 0;
  }

  // Its numbers are others now.
  void forget_shortage(Instant now) {
    most_open = kAny;
    granted = last_round = 0;
    not_before = std::min(not_before, now);
    reach = Duration{};
    touched = true;
  }

 private:
  static constexpr std::uint32_t kAny = 1 << 16;
  static constexpr std::int64_t kLeastInTurn = 4;
};

}  // namespace einlass::core
