#include "limiter_world.h"

#include <algorithm>

#include "trace.h"

namespace einlass::simulation {
namespace {

// Entries older than this cannot be given back any more.
constexpr Duration kReleasable = Duration::seconds(5);

}  // namespace

LimiterWorld::Bucket& LimiterWorld::bucket(const BucketKey& key, Instant now) {
  const auto [at, fresh] = buckets_.try_emplace(key);
  if (fresh) {
    const LimitSettings limit = of_key(settings_, key.limit, key.key);
    at->second.base = at->second.level = limit.limit * limit.micros;
    at->second.base_at = at->second.level_at = now;
  }
  return at->second;
}

void LimiterWorld::spend(const LimitSettings& limit, Bucket& bucket, Instant stamp) const {
  const std::int64_t full = limit.limit * limit.micros;
  const std::int64_t elapsed = (stamp - bucket.level_at).us;
  bucket.level = std::min(full, bucket.level + elapsed * limit.permits) - limit.micros;
  bucket.level_at = stamp;
}

void LimiterWorld::fold(const LimitSettings& limit, Bucket& bucket, Instant now) const {
  const Duration age = limit.log ? limit.window : kReleasable;
  std::size_t old = 0;
  while (old < bucket.entries.size() && bucket.entries[old].stamp + age <= now) ++old;
  if (old == 0) return;
  if (!limit.log) {
    Bucket base{{}, bucket.base_at, bucket.base_at, bucket.base, bucket.base};
    for (std::size_t i = 0; i < old; ++i) spend(limit, base, bucket.entries[i].stamp);
    bucket.base = base.level;
    bucket.base_at = base.level_at;
  }
  bucket.entries.erase(bucket.entries.begin(),
                       bucket.entries.begin() + static_cast<std::ptrdiff_t>(old));
}

// When the bucket could grant one more permit. Permits are granted in the order of their instants.
Instant LimiterWorld::earliest(const BucketKey& key, Instant now, std::int64_t cost) {
  const LimitSettings limit = of_key(settings_, key.limit, key.key);
  Bucket& state = bucket(key, now);
  Instant at = now;
  if (!state.entries.empty()) at = std::max(at, state.entries.back().stamp);
  if (limit.log) {
    const auto most = static_cast<std::size_t>(limit.limit);
    const std::size_t with = state.entries.size() + static_cast<std::size_t>(cost);
    if (with > most) at = std::max(at, state.entries[with - most - 1].stamp + limit.window);
  } else if (state.level < cost * limit.micros) {
    const std::int64_t missing = cost * limit.micros - state.level;
    at = std::max(at, state.level_at + Duration{(missing + limit.permits - 1) / limit.permits});
  }
  return at;
}

std::int64_t LimiterWorld::cost_in(const BucketKey& key, const Demand& demand,
                                   std::size_t permit) const {
  return settings_.limits[key.limit].varies ? demand.costs[permit] : 1;
}

// Which of the buckets could never grant that permit.
std::optional<std::size_t> LimiterWorld::never(std::span<const BucketKey> keys,
                                               const Demand& demand, std::size_t permit) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::int64_t least = permit == 0 ? demand.min : 1;
    const std::int64_t needed = least * cost_in(keys[i], demand, permit);
    if (of_key(settings_, keys[i].limit, keys[i].key).limit < needed) return i;
  }
  return std::nullopt;
}

// An entry for each unit of its cost.
void LimiterWorld::take(const BucketKey& key, Entry entry, std::int64_t cost) {
  const LimitSettings limit = of_key(settings_, key.limit, key.key);
  Bucket& state = bucket(key, entry.stamp);
  for (std::int64_t unit = 0; unit < cost; ++unit) {
    if (!limit.log) spend(limit, state, entry.stamp);
    state.entries.push_back(entry);
  }
}

void LimiterWorld::put_back(const BucketKey& key, PermitKey permit) {
  const auto at = buckets_.find(key);
  if (at == buckets_.end()) return;
  Bucket& state = at->second;
  if (std::erase_if(state.entries, [&](const Entry& e) { return e.permit == permit; }) == 0) return;
  state.level = state.base;
  state.level_at = state.base_at;
  const LimitSettings limit = of_key(settings_, key.limit, key.key);
  if (limit.log) return;
  for (const Entry& left : state.entries) spend(limit, state, left.stamp);
}

std::pair<Instant, std::size_t> LimiterWorld::latest(std::span<const BucketKey> keys,
                                                     const Demand& demand, std::size_t permit,
                                                     Instant now) {
  std::pair<Instant, std::size_t> worst{Instant{0}, 0};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Instant at = earliest(keys[i], now, cost_in(keys[i], demand, permit));
    if (at > worst.first) worst = {at, i};
  }
  return worst;
}

Decision LimiterWorld::acquire(std::span<const BucketKey> keys, const Demand& demand, Instant now) {
  Duration horizon = demand.horizon;
  for (const BucketKey& key : keys) {
    const LimitSettings limit = of_key(settings_, key.limit, key.key);
    fold(limit, bucket(key, now), now);
    horizon = std::min(horizon, limit.ahead ? limit.most_ahead : Duration{});
  }
  if (const auto whole = never(keys, demand, 0)) return {{}, std::nullopt, *whole};
  Decision decision;
  decision.ahead = horizon;
  std::vector<Instant> taken;
  const auto count = [&] { return static_cast<std::int64_t>(taken.size()); };
  while (count() < demand.max) {
    const std::size_t next = taken.size();
    if (const auto one = never(keys, demand, next)) {
      decision.reason = *one;
      break;
    }
    const auto [stamp, reason] = latest(keys, demand, next, now);
    if (stamp > now + horizon) {
      decision.reason = reason;
      decision.retry = stamp - horizon - now;
      if (count() >= demand.min || count() + 1 == demand.min) break;
    }
    for (const BucketKey& key : keys) {
      take(key, {stamp, demand.first + static_cast<PermitKey>(count())},
           cost_in(key, demand, next));
    }
    taken.push_back(stamp);
  }
  if (count() < demand.min) {
    for (std::size_t i = 0; i < taken.size(); ++i) release(keys, demand.first + i);
    taken.clear();
  }
  decision.stamps = std::move(taken);
  return decision;
}

bool LimiterWorld::grants_now(std::span<const BucketKey> keys, std::int64_t cost, Instant now) {
  for (const BucketKey& key : keys) {
    fold(of_key(settings_, key.limit, key.key), bucket(key, now), now);
  }
  Demand demand;
  demand.costs = {cost};
  return latest(keys, demand, 0, now).first <= now;
}

void LimiterWorld::release(std::span<const BucketKey> keys, PermitKey permit) {
  for (const BucketKey& key : keys) put_back(key, permit);
}

void LimiterWorld::ended(std::span<const BucketKey> keys, PermitKey permit) {
  for (const BucketKey& key : keys) {
    if (settings_.limits[key.limit].held) put_back(key, permit);
  }
}

void LimiterWorld::restart_empty(std::size_t store) {
  ++eras_[store];
  std::erase_if(buckets_, [&](const auto& entry) { return entry.first.store == store; });
}

std::uint64_t LimiterWorld::era(std::size_t store) const {
  const auto at = eras_.find(store);
  return at == eras_.end() ? 0 : at->second;
}

void PermitBook::used(const BucketKey& key, std::uint64_t era, Instant stamp) {
  used_[{key, era}].push_back(stamp);
}

void PermitBook::attempt_begins(const BucketKey& key, std::uint64_t era) {
  const LimitSettings limit = at_its_largest(settings_, key.limit, key.key);
  if (!limit.held) return;
  const std::int64_t now_under_way = ++under_way_[{key, era}];
  if (now_under_way <= limit.limit) return;
  throw Failure("under_way", std::to_string(now_under_way) + " of " + std::to_string(limit.limit));
}

void PermitBook::attempt_ends(const BucketKey& key, std::uint64_t era) {
  if (settings_.limits[key.limit].held) --under_way_[{key, era}];
}

void PermitBook::check_log(const LimitSettings& limit, Stamps stamps) {
  std::sort(stamps.begin(), stamps.end());
  const std::size_t most = static_cast<std::size_t>(limit.limit);
  for (std::size_t i = most; i < stamps.size(); ++i) {
    if (stamps[i] - stamps[i - most] >= limit.window) continue;
    throw Failure("limit_in_permits", std::to_string(most + 1) + " in " +
                                          std::to_string((stamps[i] - stamps[i - most]).us) +
                                          " us, allowed " + std::to_string(most) + " in " +
                                          std::to_string(limit.window.us));
  }
}

// In any stretch, at most the burst and what flows in meanwhile.
void PermitBook::check_bucket(const LimitSettings& limit, Stamps stamps) {
  std::sort(stamps.begin(), stamps.end());
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    const std::size_t stretch = std::min<std::size_t>(stamps.size(), i + 400);
    for (std::size_t j = i; j < stretch; ++j) {
      const std::int64_t used = static_cast<std::int64_t>(j - i + 1) * limit.micros;
      const std::int64_t us = (stamps[j] - stamps[i]).us;
      if (used <= limit.limit * limit.micros + us * limit.permits) continue;
      throw Failure("limit_in_permits",
                    std::to_string(j - i + 1) + " in " + std::to_string(us) + " us");
    }
  }
}

void PermitBook::check() const {
  for (const auto& [key, stamps] : used_) {
    // While a gate has not heard of a change, the larger of the two holds.
    const LimitSettings limit = at_its_largest(settings_, key.first.limit, key.first.key);
    if (limit.held) continue;  // Counted as they went.
    limit.log ? check_log(limit, stamps) : check_bucket(limit, stamps);
  }
}

}  // namespace einlass::simulation
