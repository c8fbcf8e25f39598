// The limiter that all gates of a world share: an exact model of its own, written from the promise
// of each limit and not from src/limits. It keeps the instant of every permit, so that giving one
// back is simply to strike it out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "draw.h"
#include "units/time.h"

namespace einlass::simulation {

// One permit, for the whole world.
using PermitKey = std::uint64_t;

// The state of one limit for one key (-1 for a limit without key), in one store.
struct BucketKey {
  std::size_t store;
  std::size_t limit;
  std::int64_t key;
  auto operator<=>(const BucketKey&) const = default;
};

struct Decision {
  std::vector<Instant> stamps;    // Never falling.
  std::optional<Duration> retry;  // Where fewer were granted than asked for: from now on.
  std::size_t reason = 0;         // Which of the buckets.
  Duration ahead{};               // The demand's horizon, or 0 where a bucket grants nothing ahead.
};

struct Demand {
  std::int64_t min = 1;
  std::int64_t max = 1;
  Duration horizon;
  PermitKey first = 0;              // The permits granted are first, first + 1, ...
  std::vector<std::int64_t> costs;  // Of each permit, where it varies.
};

class LimiterWorld {
 public:
  explicit LimiterWorld(const Settings& settings) : settings_(settings) {}

  // All or nothing over the buckets.
  Decision acquire(std::span<const BucketKey> keys, const Demand& demand, Instant now);

  // Whether each of them would grant a permit of that cost now.
  bool grants_now(std::span<const BucketKey> keys, std::int64_t cost, Instant now);

  // Strikes the permit out. One that is not known (any more) is nobody's.
  void release(std::span<const BucketKey> keys, PermitKey permit);

  // Strikes it out where attempts under way are counted.
  void ended(std::span<const BucketKey> keys, PermitKey permit);

  // The store forgets everything. Promises hold within an era.
  void restart_empty(std::size_t store);
  std::uint64_t era(std::size_t store) const;

 private:
  struct Entry {
    Instant stamp;
    PermitKey permit;
  };
  struct Bucket {
    std::vector<Entry> entries;
    // Token bucket: the level (in 1/micros permits) before the first entry, and after the last.
    Instant base_at{}, level_at{};
    std::int64_t base = 0, level = 0;
  };

  Bucket& bucket(const BucketKey& key, Instant now);
  Instant earliest(const BucketKey& key, Instant now, std::int64_t cost);
  std::int64_t cost_in(const BucketKey& key, const Demand& demand, std::size_t permit) const;
  std::optional<std::size_t> never(std::span<const BucketKey> keys, const Demand& demand,
                                   std::size_t permit) const;
  void take(const BucketKey& key, Entry entry, std::int64_t cost);
  void put_back(const BucketKey& key, PermitKey permit);
  void spend(const LimitSettings& limit, Bucket& bucket, Instant stamp) const;
  void fold(const LimitSettings& limit, Bucket& bucket, Instant now) const;
  std::pair<Instant, std::size_t> latest(std::span<const BucketKey> keys, const Demand& demand,
                                         std::size_t permit, Instant now);

  const Settings& settings_;
  std::map<BucketKey, Bucket> buckets_;
  std::map<std::size_t, std::uint64_t> eras_;
};

// The permits that were used: what the limits' promises are held against in the end. That each was
// used in its time is held against PermitChecks.
class PermitBook {
 public:
  explicit PermitBook(const Settings& settings) : settings_(settings) {}

  void used(const BucketKey& key, std::uint64_t era, Instant stamp);

  // Throws Failure if more are under way than a limit on them allows.
  void attempt_begins(const BucketKey& key, std::uint64_t era);
  void attempt_ends(const BucketKey& key, std::uint64_t era);

  // Throws Failure if any window holds more than its limit allows.
  void check() const;

 private:
  using Stamps = std::vector<Instant>;

  static void check_log(const LimitSettings& limit, Stamps stamps);
  static void check_bucket(const LimitSettings& limit, Stamps stamps);

  const Settings& settings_;
  std::map<std::pair<BucketKey, std::uint64_t>, Stamps> used_;
  std::map<std::pair<BucketKey, std::uint64_t>, std::int64_t> under_way_;
};

}  // namespace einlass::simulation
