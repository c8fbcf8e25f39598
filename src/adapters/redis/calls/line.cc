#include "adapters/redis/calls/line.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/wire/resp.h"
#include "limits/permits/state.h"
#include "limits/windows/fixed_window.h"
#include "limits/windows/spacing.h"
#include "net/digest.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

// The bucket's algorithm and its parameters, as lua/ takes them.
struct Described {
  std::string_view algorithm;
  std::vector<std::int64_t> parameters;

  void operator()(Permits number) { parameters.push_back(number.value); }
  void operator()(Duration number) { parameters.push_back(number.us); }
  void operator()(std::int64_t number) { parameters.push_back(number); }
  void operator()(limits::Rate number) {
    parameters.insert(parameters.end(), {number.permits, number.micros});
  }
};

struct Describe {
  std::string_view key;

  template <class P>
  Described operator()(const P& p) const {
    Described described{p.script(), {}};
    limits::each_number(p, described);
    return described;
  }
  // The distances of its permits are told in numbers that are made here.
  Described operator()(const limits::SlidingLogParameters& p) const {
    const limits::Spacing group = limits::group_of(p.limit, p.window, p.even, p.burst);
    const limits::Spacing burst = limits::burst_of(p.limit, p.window, p.even, p.burst);
    if (group.units == 0) return {p.script(), {p.limit.value, p.window.us}};
    return {"sliding_log_spaced",
            {p.limit.value, p.window.us, group.units, group.apart.us, burst.units, burst.apart.us}};
  }
  Described operator()(const limits::FixedWindowParameters& p) const {
    return {p.script(), {p.limit.value, p.window.us, limits::phase_of(p, key).us}};
  }
};

void add(BucketWords& words, const std::string& key, const Described& described,
         const limits::Limit& limit) {
  ++words.buckets;
  append_bulk(words.keys, key);
  append_bulk(words.arguments, described.algorithm);
  if (limit.cost_from_record) {
    words.costs.push_back(words.arguments.size());
  } else {
    append_number(words.arguments, limit.cost.value);
  }
  for (const std::int64_t parameter : described.parameters)
    append_number(words.arguments, parameter);
  words.argument_count += 2 + described.parameters.size();
}

void describe(const Bucket& bucket, const std::string& key, Line& line) {
  const limits::Limit& limit = *bucket.limit;
  const Described described = std::visit(Describe{bucket.key}, limit.parameters);
  line.algorithms.push_back(described.algorithm);
  add(line, key, described, limit);
  if (limits::traits(limit.parameters).held) add(line.held, key, described, limit);
  line.ahead = std::min(line.ahead, limits::most_ahead(limit.parameters));
  const Duration refill = limits::refill_time(limit.parameters);
  line.refill = std::max(line.refill, refill);
  const Permits most = limits::most_cost(limit.parameters);
  if (limit.cost_from_record) line.most_cost = std::min(line.most_cost, most);
  line.may_be_never |=
      limits::may_grant_nothing(limit.parameters) || (!limit.cost_from_record && limit.cost > most);
  line.horizon = std::max(line.horizon, bucket.horizon);
  line.may_lie_ahead |= std::holds_alternative<limits::GcraParameters>(limit.parameters);
}

std::string hash_tag(std::string_view name_space, const Bucket& bucket) {
  if (!bucket.spread) return std::string(name_space);
  const bool can_be_one = !bucket.key.empty() && bucket.key.size() <= kMaxKeyBytes &&
                          bucket.key.find_first_of("{}") == std::string::npos;
  return can_be_one ? bucket.key : net::sha256_hex(bucket.key);
}

}  // namespace

std::string bucket_key(std::string_view name_space, const Bucket& bucket) {
  std::string key;
  key.append(name_space).append(":{").append(hash_tag(name_space, bucket)).append("}:");
  key.append(bucket.limit->name).append(":");
  if (bucket.key.size() <= kMaxKeyBytes) return key.append(bucket.key);
  return key.append("sha256-").append(net::sha256_hex(bucket.key));
}

LinePtr make_line(core::LineId id, std::string_view name_space, std::span<const Bucket> buckets) {
  CHECK(!buckets.empty() && buckets.size() <= kMaxBuckets);
  LinePtr line = new Line;
  line->id = id;
  line->first_key = bucket_key(name_space, buckets.front());
  line->ahead = limits::most_ahead(buckets.front().limit->parameters);
  line->most_cost = Permits{std::numeric_limits<std::int64_t>::max()};
  line->slot = hash_slot(line->first_key);
  for (const Bucket& bucket : buckets) {
    line->limits.append(line->limits.empty() ? "Limit " : ", ").append(bucket.limit->name);
    const std::string key = bucket_key(name_space, bucket);
    describe(bucket, key, *line);
    if (!bucket.limit->by_flows) continue;
    line->by_flows = static_cast<std::size_t>(&bucket - buckets.data());
    append_bulk(line->share_key, shared_key(key));
    line->told = std::make_unique<ToldFlows>();
  }
  std::sort(line->algorithms.begin(), line->algorithms.end());
  const auto once = std::unique(line->algorithms.begin(), line->algorithms.end());
  line->algorithms.erase(once, line->algorithms.end());
  return line;
}

}  // namespace einlass::redis
