#include "adapters/redis/line.h"

#include <algorithm>
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

// Each appends the cost and the parameters, and says how many that were.
struct AppendArguments {
  std::string& out;
  Permits cost;

  std::size_t operator()(const limits::SlidingLogParameters& log) const {
    append_number(out, cost.value);
    append_number(out, log.limit.value);
    append_number(out, log.window.us);
    return 3;
  }

  std::size_t operator()(const limits::TokenBucketParameters& bucket) const {
    append_number(out, cost.value);
    append_number(out, bucket.rate.permits);
    append_number(out, bucket.rate.micros);
    append_number(out, bucket.burst.value);
    return 4;
  }
};

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
  append_number(line->body, static_cast<std::int64_t>(buckets.size()));
  for (const Bucket& bucket : buckets) append_bulk(line->body, bucket_key(name_space, bucket));
  line->body_elements = 1 + buckets.size();
  for (const Bucket& bucket : buckets) {
    const std::string_view name = algorithm(*bucket.limit);
    line->algorithms.push_back(name);
    append_bulk(line->body, name);
    const AppendArguments append{line->body, bucket.limit->cost};
    line->body_elements += 1 + std::visit(append, bucket.limit->parameters);
  }
  std::sort(line->algorithms.begin(), line->algorithms.end());
  const auto once = std::unique(line->algorithms.begin(), line->algorithms.end());
  line->algorithms.erase(once, line->algorithms.end());
  return line;
}

}  // namespace einlass::redis
