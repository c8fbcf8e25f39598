#include "adapters/redis/line.h"

#include <algorithm>
#include <initializer_list>
#include <variant>

#include "adapters/redis/digest.h"
#include "adapters/redis/resp.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

constexpr std::string_view kSlidingLog = "sliding_log";
constexpr std::string_view kTokenBucket = "token_bucket";

std::string_view algorithm(const limits::Limit& limit) {
  return std::holds_alternative<limits::SlidingLogParameters>(limit.parameters) ? kSlidingLog
                                                                                : kTokenBucket;
}

// Each appends the parameters, and says how many that were.
struct AppendParameters {
  std::string& out;

  std::size_t numbers(std::initializer_list<std::int64_t> values) const {
    for (const std::int64_t value : values) append_number(out, value);
    return values.size();
  }

  std::size_t operator()(const limits::SlidingLogParameters& p) const {
    return numbers({p.limit.value, p.window.us});
  }
  std::size_t operator()(const limits::TokenBucketParameters& p) const {
    return numbers({p.rate.permits, p.rate.micros, p.burst.value});
  }
  std::size_t operator()(const auto&) const { return 0; }  // Not in Redis.
};

void describe(const limits::Limit& limit, Line& line) {
  const std::string_view name = algorithm(limit);
  line.algorithms.push_back(name);
  append_bulk(line.arguments, name);
  if (limit.cost_from_record) {
    line.costs.push_back(line.arguments.size());
  } else {
    append_number(line.arguments, limit.cost.value);
  }
  line.argument_count += 2 + std::visit(AppendParameters{line.arguments}, limit.parameters);
}

}  // namespace

std::string bucket_key(std::string_view name_space, const Bucket& bucket) {
  std::string key;
  key.append(name_space).append(":{").append(name_space).append("}:");
  key.append(bucket.limit->name).append(":");
  if (bucket.key.size() <= kMaxKeyBytes) return key.append(bucket.key);
  return key.append("sha256-").append(sha256_hex(bucket.key));
}

LinePtr make_line(core::LineId id, std::string_view name_space, std::span<const Bucket> buckets) {
  CHECK(!buckets.empty() && buckets.size() <= kMaxBuckets);
  LinePtr line = new Line;
  line->id = id;
  line->buckets = buckets.size();
  line->first_key = bucket_key(name_space, buckets.front());
  for (const Bucket& bucket : buckets) append_bulk(line->keys, bucket_key(name_space, bucket));
  for (const Bucket& bucket : buckets) describe(*bucket.limit, *line);
  std::sort(line->algorithms.begin(), line->algorithms.end());
  const auto once = std::unique(line->algorithms.begin(), line->algorithms.end());
  line->algorithms.erase(once, line->algorithms.end());
  return line;
}

}  // namespace einlass::redis
