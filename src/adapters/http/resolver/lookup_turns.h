// Whose lookup is next, of the many hosts that records name: in the process, so many at a time.
//
// A name whose servers are dead keeps its thread for many seconds, and whoever may name hosts may
// name many of those. So one that takes long is not counted among those at a time any more, and of
// names with one owner (under one registrable domain) no more begin while one takes long. Domains
// can be had by the thousand; so the hosts of one target's records take half of all, and the rest
// is for other targets.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace einlass::http {

// At a time, in the process; those that take long are not counted.
inline constexpr std::size_t kMostLookups = 16;
// With them.
inline constexpr std::size_t kMostLookupThreads = 128;
// From then on one takes long.
inline constexpr std::chrono::milliseconds kLongLookup{500};
// At a time under one domain, while none of them takes long.
inline constexpr std::size_t kMostLookupsOfSite = 4;

// Of these and of all threads, for one target.
inline constexpr std::size_t kMostLookupsOfTarget = kMostLookups / 2;
inline constexpr std::size_t kMostLookupThreadsOfTarget = kMostLookupThreads / 2;

// The domain whose owner can make names: the last two labels, or three where the last two are one
// of the suffixes that countries have (co.uk, com.au). Near enough to the Public Suffix List for
// taking turns.
std::string_view site_of(std::string_view host);

// A lookup, called on threads of its own.
struct LookupJob {
  std::string host;
  std::string target;                           // Whose records name it.
  std::chrono::steady_clock::time_point until;  // If it has not begun by then it need not.
  std::function<bool()> wanted;                 // Looked at when its turn comes.
  std::function<void()> run;                    // May take long.
  std::function<void()> too_late;               // Instead of `run`.
};

// Ends in one of `run` and `too_late`, unless it is not wanted any more. May be called from any
// thread. Whatever is under way at the end of the program is not waited for.
void take_turn(LookupJob job);

}  // namespace einlass::http
