// What an algorithm's file offers to acquire(), for its parameters `p` and its state `s`:
//   ahead(p), traits(p), most_cost(p)    what is the same for all of its buckets
//   fresh(p, key)                        the state of a bucket that nobody has used
//   peek(p, s, now)                      whole permits that could leave at `now`
//   give_back(p, s, cost, returned, now) takes permits back; of how many it still knew
//   is_fresh(p, s, now)                  whether `s` may be forgotten
//   look(p, s, cost, now)                one ask's look at the bucket, which has
//     ever(n, horizon)    whether n permits of this cost could ever be granted to one ask,
//     reach(booked, n)    when n more could be had, after those that this ask has booked
//                         (REQUIRES: n is 1, or nothing is booked and ever(n)),
//     soonest(booked, n, horizon)  where that depends on when one asks: the first instant at which
//                         an ask would get them (REQUIRES: as reach(); n is 1, or no horizon),
//     book(at)            books the next permit (REQUIRES: not before reach(booked, 1)),
//     pay(booked, prefix) writes what was booked; until then nothing is written;
//     behind(booked, units)  for limits that a fleet's flows share: when a permit could be had if
//                         others took so many units before it, each as early as could be,
//     soonest_behind(booked, units, horizon)  and the first instant at which an ask would get it;
//                         none if waiting brings it no nearer,
//     next(costs)         where the permits of one ask cost different amounts: those of the booked
//                         ones, and behind them what the next one takes from here on.
// Instants are not before 1970, and a bucket's own time never runs backwards: nothing is booked
// before the last booking (but see gcra.h). Algorithms that are the same automaton share these
// functions.
#pragma once

#include <cstdint>
#include <limits>

#include "units/time.h"

namespace einlass::limits {

// How long before it is due a permit can be had. An ask over several buckets books as far ahead as
// all of them bear.
struct Ahead {
  bool grants = false;  // Whether the algorithm books ahead at all.
  Duration most;        // How far; 0 where it does not.
};

// What else people and other parts have to know of an algorithm's permits.
struct Traits {
  // Whether each is known by its id or its instant. Otherwise nobody can tell what one is worth
  // that comes back late (token_bucket.h says within which time).
  bool known_one_by_one;
  // Whether each is held until its attempt ends, so that ends have to be told.
  bool held;
  // Whether each leaves an entry for each unit of its cost.
  bool keeps_entries;
};

inline constexpr Ahead kNothingAhead;
inline constexpr Ahead kAnyTimeAhead{true, Duration{std::numeric_limits<std::int64_t>::max()}};

// Before anything that could happen; differences to it do not overflow.
inline constexpr Instant kLongAgo{-(std::int64_t{1} << 61)};

// Longer than anybody would wait.
inline constexpr Duration kLong{std::int64_t{1} << 53};
constexpr Duration at_most_long(__int128 us) {
  return us < kLong.us ? Duration{static_cast<std::int64_t>(us)} : kLong;
}

}  // namespace einlass::limits
