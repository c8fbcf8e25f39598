// The third part of Admission: how lines share a target's places, and how fresh records and
// retries share what both want.
//
// Places: nobody may have more of them than are still free, unless he is alone. So a line whose
// attempts hang leaves as many places to the others as it takes itself, and n such lines leave one
// part in n + 1. (A dynamic threshold, as switches have it for shared buffers: Choudhury and Hahne,
// IEEE/ACM Transactions on Networking 6(2), 1998.)
//
// Inside a line its credit decides for each permit. Among lines of one target they compete for its
// room and for limits without key; each is a contest with a credit of its own. A line that has
// fresh records uses its permits as its own credit says, but leaves the contest's credit in turn to
// lines that have nothing but retries: these ask for no more than it pays for.
#include <algorithm>

#include "core/admission.h"
#include "units/check.h"

namespace einlass::core {
namespace {

// Shares of less than all are kept account of.
constexpr std::int64_t kAll = 100;

// Retries that a line saves up for itself.
constexpr std::int64_t kMostSavedInLine = 1;

}  // namespace

// ---- places ----

// How many more of the line's attempts may start now.
std::int64_t Admission::places(const Line& line, Instant now) const {
  const TargetId target = route_of(line).target;
  const std::int64_t room = delivery_.room(target, now);
  // A probe may be anybody's.
  if (targets_[target.value].lines <= 1 || !delivery_.breaker(target).closed()) return room;
  // Each takes one from what is free and adds one to what it has.
  return std::max<std::int64_t>(0, (room - line.in_flight + 1) / 2);
}

// There are places, but none for this line.
bool Admission::has_enough(const Line& line, Instant now) const {
  return places(line, now) == 0 && delivery_.room(route_of(line).target, now) > 0;
}

// ---- contests ----

void Admission::find_contests() {
  for (std::uint16_t i = 0; i < targets_.size(); ++i) {
    const std::int64_t share = options_.targets[i].retry_share;
    CHECK(share >= 1 && share <= kAll);
    contests_.push_back(Contest{.target = TargetId{i}, .first_of_limit = i});
  }
  for (const RouteOptions& route : options_.routes) {
    std::vector<ContestIndex>& mine = contests_of_route_.emplace_back();
    mine.push_back(route.target.value);
    for (std::size_t i = 0; i < route.limit_count; ++i) {
      if (route.shared_limits >> i & 1) mine.push_back(contest_for(route.target, route.limits[i]));
    }
  }
}

ContestIndex Admission::contest_for(TargetId target, LimitId limit) {
  for (const ContestIndex known : targets_[target.value].contests) {
    if (contests_[known].limit == limit) return known;
  }
  const auto made = static_cast<ContestIndex>(contests_.size());
  ContestIndex first = made;
  for (std::size_t i = targets_.size(); i < made && first == made; ++i) {
    if (contests_[i].limit == limit) first = static_cast<ContestIndex>(i);
  }
  contests_.push_back(Contest{.target = target, .limit = limit, .first_of_limit = first});
  targets_[target.value].contests.push_back(made);
  return made;
}

bool Admission::others_want(const Contest& contest, const Line& line) const {
  const bool counted = line.short_of != kNoContest && &contests_[line.short_of] == &contest;
  return contest.short_lines > (counted ? 1u : 0u);
}

// Lines with nothing but retries take their part of it, or wait for it.
bool Admission::retries_want(ContestIndex i, const Line& line) const {
  const Contest& contest = contests_[i];
  if (!contest.retries.empty()) return true;
  return i < targets_.size() ? !targets_[i].retries_room.empty() : contest.promised > line.promised;
}

// How many more retries lines with nothing else may ask for while fresh records want.
std::int64_t Admission::spare(const Contest& contest) const {
  const std::int64_t share = options_.targets[contest.target.value].retry_share;
  if (share == kAll) return Admission::kMostHeld;
  const std::int64_t turn = contest.mixed_last ? 0 : 1;
  return contest.credit.retries(share) - contest.promised - turn;
}

// ---- inside a line ----

bool Admission::retries_stand_apart(TargetId target) const {
  return options_.targets[target.value].retry_share < kAll;
}

// REQUIRES: it has both kinds.
bool Admission::retry_goes_first(const Line& line) const {
  const std::int64_t share = share_of(line);
  if (line.credit.retries(share) == 0) return false;
  const auto& contests = contests_of_route_[line.route.value];
  return std::all_of(contests.begin(), contests.end(), [&](ContestIndex i) {
    const Contest& contest = contests_[i];
    // A line that had enough when it was last looked at may have places by now.
    const bool waits = i < targets_.size() && !targets_[i].room.empty();
    if (!waits && !others_want(contest, line) && !retries_want(i, line)) return true;
    // For room the permits promised are those that wait for it.
    const std::int64_t promised = i < targets_.size() ? 0 : contest.promised;
    return contest.credit.retries(share) > promised + (contest.mixed_last ? 1 : 0);
  });
}

// ---- the books ----

// REQUIRES: its retries stand apart.
void Admission::count_attempt(Line& line, bool retry) {
  const std::int64_t share = share_of(line);
  if (retry) {
    line.credit.spend(share);
  } else {
    line.credit.earn(share, kMostSavedInLine);
  }
  for (const ContestIndex i : contests_of_route_[line.route.value]) {
    Contest& contest = contests_[i];
    if (retry) {
      contest.credit.spend(share);
      contest.mixed_last = !line.ready.empty();
    } else {
      contest.credit.earn(share, Contest::kMostSaved + contest.promised);
    }
  }
}

// What its fresh records want of and do not get. Not the room, if it is the line's own share of the
// places that is used up: what is free then is others'.
ContestIndex Admission::shortage_of(const Line& line, Instant now) const {
  const auto fresh = static_cast<std::int64_t>(line.ready.size());
  const auto held = static_cast<std::int64_t>(line.permits.size());
  const bool turn = line.waits == LineWaits::turn || line.waits == LineWaits::turn_ahead;
  if (fresh > 0 && (line.waits == LineWaits::room || (turn && fresh > held))) {
    const ContestIndex room = contests_of_route_[line.route.value].front();
    return has_enough(line, now) ? kNoContest : room;
  }
  return fresh > held && line.waits != LineWaits::store ? line.lacks : kNoContest;
}

// Books what the line counts for in its contests. Called after each change of its records, permits,
// question or place in a queue. REQUIRES: its retries stand apart.
void Admission::note_wants(Line& line, Instant now) {
  note_shortage(line, shortage_of(line, now));
  const auto fresh = static_cast<std::int64_t>(line.ready.size());
  const auto held = static_cast<std::int64_t>(line.permits.size());
  const std::int64_t asked = line.open_ask ? line.asked : 0;
  const std::int64_t promised =
      std::clamp<std::int64_t>(held + asked - fresh, 0, line.retries.size());
  if (promised == line.promised) return;
  for (const ContestIndex i : contests_of_route_[line.route.value]) {
    contests_[i].promised += promised - line.promised;
    if (!contests_[i].retries.empty()) queues_of(line).touched = true;
  }
  line.promised = promised;
}

void Admission::note_shortage(Line& line, ContestIndex contest) {
  if (line.short_of == contest) return;
  if (line.short_of != kNoContest) --contests_[line.short_of].short_lines;
  if (contest != kNoContest) ++contests_[contest].short_lines;
  line.short_of = contest;
  queues_of(line).touched = true;
}

// ---- what retries may ask for ----

// The first contest that leaves the line's retries nothing while fresh records of others want.
ContestIndex Admission::contest_before(const Line& line) const {
  for (const ContestIndex i : contests_of_route_[line.route.value]) {
    const Contest& contest = contests_[i];
    if (others_want(contest, line) && spare(contest) + line.promised <= 0) return i;
  }
  return kNoContest;
}

// How many of the line's retries may have permits.
std::int64_t Admission::usable_retries(const Line& line) const {
  std::int64_t usable = line.retries.size();
  if (usable == 0 || line.failed || !breaker_of(line).closed()) return usable;
  for (const ContestIndex i : contests_of_route_[line.route.value]) {
    const Contest& contest = contests_[i];
    if (!others_want(contest, line)) continue;
    // With fresh records of its own the line has permits for these alone, and its credit decides.
    const std::int64_t spared = line.only_retries() ? line.promised + spare(contest) : 0;
    usable = std::clamp<std::int64_t>(spared, 0, usable);
  }
  return usable;
}

// ---- queues ----

LineWaits Admission::room_for(const Line& line) const {
  return line.only_retries() ? LineWaits::retries_room : LineWaits::room;
}

Admission::Queue* Admission::next_for_room(TargetQueues& target, const Contest& contest) {
  if (target.retries_room.empty()) return target.room.empty() ? nullptr : &target.room;
  if (target.room.empty()) return &target.retries_room;
  const std::int64_t share = options_.targets[contest.target.value].retry_share;
  const bool retry = contest.credit.retries(share) > (contest.mixed_last ? 0 : 1);
  return retry ? &target.retries_room : &target.room;
}

// One record a line in turn, so that no line's backlog stands before another's first record. Lines
// that have enough stand aside: nobody's places become more before the end.
void Admission::serve_room(TargetId id, Instant now, Commands& commands) {
  TargetQueues& target = targets_[id.value];
  Queue aside;
  while (delivery_.room(id, now) > 0) {
    Queue* queue = next_for_room(target, contests_[id.value]);
    if (queue == nullptr) break;
    const std::uint32_t first = queue->front();
    Line& line = lines_[first];
    if (places(line, now) == 0) {
      queue->erase(lines_, first);
      aside.push_back(lines_, first);
      continue;
    }
    const bool retries = queue == &target.retries_room;
    wait_no_more(line);
    give_back_useless(line, now, commands);
    const bool right = line.only_retries() == retries;
    if (right && may_send(line, now)) send_first(line, now, commands);
    if (may_send(line, now)) wait_for(line, room_for(line));
    go_on(line, now, commands);
  }
  while (!aside.empty()) {
    const std::uint32_t first = aside.front();
    aside.erase(lines_, first);
    queue_of(lines_[first], lines_[first].waits).push_back(lines_, first);
  }
}

// Those of `turn`, unless they all had it in vain, or those with nothing but retries; null if
// neither may ask.
Admission::Queue* Admission::next_for_turn(TargetId id, Queue& turn, bool in_vain, Instant now) {
  Contest& contest = contests_[id.value];
  const auto may_ask = [&](const Queue& queue) {
    return !queue.empty() && !spoken_for(lines_[queue.front()], now);
  };
  const bool retries_first = turn.empty() || in_vain || spare(contest) > 0;
  if (retries_first && may_ask(contest.retries)) return &contest.retries;
  return may_ask(turn) ? &turn : nullptr;
}

void Admission::serve_turns(TargetId id, LineWaits what, Instant now, Commands& commands) {
  Queue& turn = targets_[id.value].reserve(what == LineWaits::turn_ahead).turn;
  Contest& contest = contests_[id.value];
  std::uint32_t turns = turn.size();
  for (std::uint32_t left = turns + contest.retries.size(); left > 0; --left) {
    Queue* queue = next_for_turn(id, turn, turns == 0, now);
    if (queue == nullptr) return;
    const bool share = queue == &contest.retries;
    if (!share && turns > 0) --turns;
    Line& line = lines_[queue->front()];
    wait_no_more(line);
    serve(line, now, commands);
    // One that had its turn, and has nothing but retries by now, waits for its share from here on:
    // that keeps nobody else from his turn.
    const bool again =
        line.waits == what || (share && line.waits == LineWaits::share && line.shares == id.value);
    if (again && !has_enough(line, now)) return;
  }
}

// Lines with nothing but retries, where a limit without key has something left for them.
void Admission::serve_shares(TargetId id, Instant now, Commands& commands) {
  for (const ContestIndex i : targets_[id.value].contests) {
    for (std::uint32_t left = contests_[i].retries.size(); left > 0; --left) {
      if (contests_[i].short_lines > 0 && spare(contests_[i]) <= 0) break;
      Line& line = lines_[contests_[i].retries.front()];
      wait_no_more(line);
      serve(line, now, commands);
    }
  }
}

}  // namespace einlass::core
