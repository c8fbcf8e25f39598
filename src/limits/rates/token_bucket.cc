#include "limits/rates/token_bucket.h"

#include <algorithm>

namespace einlass::limits {
namespace {

std::int64_t full(const TokenBucketParameters& p) { return p.burst.value * p.rate.micros; }

// What has flowed into a bucket of that level after `waited`: never above full, whatever the wait.
std::int64_t refilled(const TokenBucketParameters& p, std::int64_t level, Duration waited) {
  std::int64_t gain = 0;
  const std::int64_t room = full(p) - level;
  if (__builtin_mul_overflow(waited.us, p.rate.permits, &gain) || gain >= room) return full(p);
  return level + gain;
}

// The level in units of 1/to permits, rounded down. REQUIRES: it fits.
std::int64_t converted(std::int64_t level, std::int64_t from, std::int64_t to) {
  const __int128 product = static_cast<__int128>(level) * to;
  const __int128 least = -(__int128{1} << 53);
  const __int128 rounded = product / from - (product % from < 0 ? 1 : 0);
  return static_cast<std::int64_t>(std::max(least, rounded));
}

// A rate that changed also changes the unit, and nothing may come back until what is out under the
// old rate is too old. Exact, so that gates that ask under both rates in turn do not starve.
void convert(const TokenBucketParameters& p, TokenBucket& bucket) {
  if (bucket.micros != p.rate.micros) {
    const bool runs_over = bucket.level / bucket.micros >= p.burst.value;
    bucket.level = runs_over ? full(p) : converted(bucket.level, bucket.micros, p.rate.micros);
    bucket.micros = p.rate.micros;
    bucket.peak = bucket.before = full(p);
  }
  bucket.level = std::min(bucket.level, full(p));
}

std::int64_t generation(Instant at) {
  return at.us / kGiveBackWithin.us;  // No instant is before 1970.
}

}  // namespace

TokenBucket fresh(const TokenBucketParameters& parameters, std::string_view) {
  return {full(parameters), kLongAgo, 0, 0, parameters.rate.micros};
}

void begin(const TokenBucketParameters& parameters, TokenBucket& bucket, Instant now) {
  if (!parameters.starts_empty || parameters.rate.permits == 0) return;
  // Nobody has used it yet, or for so long, under whatever rate somebody looked at it: nothing is
  // out.
  if (bucket.at == kLongAgo || is_fresh(parameters, bucket, now)) {
    bucket = {0, now, 0, 0, parameters.rate.micros};
  }
}

void advance(const TokenBucketParameters& parameters, TokenBucket& bucket, Instant now) {
  convert(parameters, bucket);
  if (now <= bucket.at) return;
  const Duration waited = now - bucket.at;
  bucket.level = refilled(parameters, bucket.level, waited);
  if (waited >= kGiveBackWithin) {
    bucket.peak = bucket.before = 0;  // Nothing that is out may come back.
  } else if (generation(now) != generation(bucket.at)) {
    bucket.before = bucket.peak;
    bucket.peak = bucket.level;
  } else {
    bucket.peak = std::max(bucket.peak, bucket.level);
  }
  bucket.at = now;
}

Permits peek(const TokenBucketParameters& parameters, const TokenBucket& bucket, Instant now) {
  if (parameters.rate.permits == 0) return {0};
  TokenBucket next = bucket;
  begin(parameters, next, now);
  advance(parameters, next, now);
  if (next.at > now) return {0};  // Whatever it holds is for later.
  return {std::max<std::int64_t>(0, next.level) / parameters.rate.micros};
}

std::int64_t give_back(const TokenBucketParameters& parameters, TokenBucket& bucket, Permits cost,
                       std::span<const Returned> returned, Instant now) {
  TokenBucket next = bucket;
  begin(parameters, next, now);
  advance(parameters, next, now);
  const Instant too_old = next.at - kGiveBackWithin;
  const std::int64_t count = std::ranges::count_if(
      returned, [too_old](const Returned& permit) { return permit.at > too_old; });
  const std::int64_t most = parameters.burst.value;
  const std::int64_t permits = count > most / cost.value ? most : count * cost.value;
  const std::int64_t highest = std::max({next.peak, next.before, next.level});
  const std::int64_t credit =
      std::min(permits * parameters.rate.micros, full(parameters) - highest);
  if (credit <= 0 || parameters.rate.permits == 0) return count;  // Nothing is written.
  next.level += credit;
  next.peak += credit;
  next.before += credit;
  bucket = next;
  return count;
}

bool is_fresh(const TokenBucketParameters& parameters, const TokenBucket& bucket, Instant now) {
  TokenBucket next = bucket;
  if (parameters.starts_empty) {
    // It has been full for so long: who waits for all that it holds has his turn before.
    if (now - kNewAfter < bucket.at) return false;
    advance(parameters, next, now - kNewAfter);
  } else {
    if (now - bucket.at < kGiveBackWithin) return false;
    advance(parameters, next, now);
  }
  return next.level == full(parameters);
}

}  // namespace einlass::limits
