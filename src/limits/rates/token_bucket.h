// The token bucket: at most burst + rate * W permits in any time W, starting full or empty.
//
// A bucket is a level and the instant for which it holds. That instant may lie ahead: permits
// booked ahead are paid at once, and the next booking is never before the last one.
//
// What may come back. A permit given back late must not return what the bucket has lost meanwhile
// by being full: take 10 of 10, wait until 5 have flowed in, let 5 others pass, give the 10 back
// whole, and 15 pass in one instant. Had the 10 never been taken, the bucket would have stood
// full and only 5 would be there. So a bucket remembers the highest level it has stood at since
// what is still out was taken, and gives back only as much as leaves that level, raised by all
// that came back, at or below full. Then the levels so raised are those of a bucket from which
// the returned permits were never taken: it never runs over, so the promise holds for the permits
// that were used. In doubt this gives back less: nothing to a bucket that was full a moment ago,
// everything to one that has run dry since, which is where it matters.
//
// No ids are kept. A permit that is given back twice can therefore be credited twice, but never
// above that bound; and one that comes back kGiveBackWithin after its instant or later stays spent,
// for nobody knows any more how high the bucket has stood since.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "limits/contract/algorithm.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// How long a bucket remembers how high it stood (at least; at most twice as long). A bucket in
// Redis is kept that long too, so an expired one is the same as one that has never been used.
inline constexpr Duration kGiveBackWithin = Duration::seconds(10);

// How long a bucket that starts empty is kept after it is full again: then it is new.
inline constexpr Duration kNewAfter = Duration::seconds(3600);

// The state. Levels are in 1/micros permits.
struct TokenBucket {
  std::int64_t level = 0;   // Below 0: a debt, where the next permit pays for this one.
  Instant at;               // The level holds for this instant, which may lie ahead.
  std::int64_t peak = 0;    // The highest level in the generation of `at`, ...
  std::int64_t before = 0;  // ... and in the one before it. A generation is kGiveBackWithin long.
  std::int64_t micros = 1;  // The unit: Rate::micros of the rate under which this was written.
};

inline Ahead ahead(const TokenBucketParameters&) { return kAnyTimeAhead; }
inline Traits traits(const TokenBucketParameters&) {
  return {.known_one_by_one = false, .held = false, .keeps_entries = false};
}
inline Permits most_cost(const TokenBucketParameters& parameters) { return parameters.burst; }

// A bucket that nobody has used. One that starts empty fills from the first look() at it on.
TokenBucket fresh(const TokenBucketParameters& parameters, std::string_view key);

// One that starts empty begins at `now` if it is new, or new again.
void begin(const TokenBucketParameters& parameters, TokenBucket& bucket, Instant now);

// Moves the bucket on to `now`; leaves it if that is behind it: time never runs backwards. A bucket
// that was written under another rate keeps its level, less what is no whole unit of the new one.
void advance(const TokenBucketParameters& parameters, TokenBucket& bucket, Instant now);

// Whole permits that could leave at `now`.
Permits peek(const TokenBucketParameters& parameters, const TokenBucket& bucket, Instant now);

// Gives back what the permits cost, as far as it may come back. Returns how many of them are not
// too old for it.
std::int64_t give_back(const TokenBucketParameters& parameters, TokenBucket& bucket, Permits cost,
                       std::span<const Returned> returned, Instant now);

// Whether the bucket is to `now` as one that nobody has used, so that it may be forgotten.
bool is_fresh(const TokenBucketParameters& parameters, const TokenBucket& bucket, Instant now);

// Who waits until a permit is paid: who takes it, or who takes the next one.
enum class Pays : bool { now, next };

// See algorithm.h.
class TokenBucketLook {
 public:
  TokenBucketLook(const TokenBucketParameters& parameters, TokenBucket& bucket, Permits cost,
                  Instant now, Pays pays = Pays::now)
      : parameters_(parameters), bucket_(bucket), cost_(cost.value), pays_(pays), next_(bucket) {
    advance(parameters, next_, now);
  }

  bool ever(std::int64_t permits, Duration) const {
    const std::int64_t burst = parameters_.burst.value;
    return parameters_.rate.permits > 0 && cost_ <= burst &&
           (permits == 1 || permits <= burst / cost_);
  }
  Instant reach(std::span<const Duration>, std::int64_t more) const {
    // What the last permit may leave unpaid is the next one's to pay.
    const std::int64_t owed = pays_ == Pays::next ? need() : 0;
    const std::int64_t missing = more * need() + taken_ - owed - next_.level;
    if (missing <= 0) return next_.at;
    const std::int64_t rate = parameters_.rate.permits;
    return next_.at + Duration{missing / rate + (missing % rate != 0)};
  }
  Instant behind(std::span<const Duration>, std::int64_t units) const {
    const std::int64_t own = pays_ == Pays::next ? 0 : need();
    const __int128 others = static_cast<__int128>(units) * parameters_.rate.micros;
    const __int128 missing = others + own + taken_ - next_.level;
    if (missing <= 0) return next_.at;
    const std::int64_t rate = parameters_.rate.permits;
    return next_.at + at_most_long(missing / rate + (missing % rate != 0));
  }
  std::optional<Instant> soonest_behind(std::span<const Duration> booked, std::int64_t units,
                                        Duration horizon) const {
    const std::int64_t own = pays_ == Pays::next ? 0 : cost_;
    const auto beyond = static_cast<__int128>(units + own - parameters_.burst.value);
    const bool too_many = beyond * parameters_.rate.micros >
                          static_cast<__int128>(horizon.us) * parameters_.rate.permits;
    if (too_many) return std::nullopt;
    return behind(booked, units) - horizon;
  }
  void book(Instant at) {
    if (at > next_.at) {
      next_.level -= std::exchange(taken_, 0);
      advance(parameters_, next_, at);
    }
    taken_ += need();
  }
  void pay(std::span<const Duration>, const IdPrefix&) {
    bucket_ = next_;
    bucket_.level -= taken_;
  }
  void next(std::span<const Permits> costs) { cost_ = costs.back().value; }

 private:
  std::int64_t need() const { return cost_ * parameters_.rate.micros; }

  TokenBucketParameters parameters_;
  TokenBucket& bucket_;
  std::int64_t cost_;
  Pays pays_;
  TokenBucket next_;        // At the last instant that this ask has booked, ...
  std::int64_t taken_ = 0;  // ... without what it has taken there.
};

inline TokenBucketLook look(const TokenBucketParameters& parameters, TokenBucket& bucket,
                            Permits cost, Instant now) {
  begin(parameters, bucket, now);
  return {parameters, bucket, cost, now};
}

}  // namespace einlass::limits
