#include "adapters/redis/replay/replay_calls.h"

#include <algorithm>
#include <utility>

#include "adapters/redis/wire/resp.h"
#include "lua/scripts.h"
#include "net/digest.h"

namespace einlass::redis {
namespace {

constexpr std::size_t kPrefixBytes = 14;

// A permit's id: the ask's number and the permit's index in it, both big-endian.
std::string id(std::uint64_t ask, std::size_t index) {
  std::string bytes(kPrefixBytes + 2, '\0');
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[kPrefixBytes - 1 - i] = static_cast<char>(ask >> (8 * i));
  }
  bytes[kPrefixBytes] = static_cast<char>(index >> 8);
  bytes[kPrefixBytes + 1] = static_cast<char>(index & 0xff);
  return bytes;
}

std::string_view word(ReplayCalls::Memo memo) {
  switch (memo) {
    case ReplayCalls::Memo::none:
      return "";
    case ReplayCalls::Memo::remember:
      return "0";
    case ReplayCalls::Memo::again:
      return "1";
  }
  return "";
}

}  // namespace

ReplayCalls::ReplayCalls(std::string name_space, const std::vector<limits::Limit>& limits,
                         OfKey of_key)
    : name_space_(std::move(name_space)),
      limits_(limits),
      of_key_(std::move(of_key)),
      words_(limits.size()) {
  limits_changed();
  // Begins as a bucket's key does, and so has its hash tag.
  memo_start_ = line(0, "")->first_key + ":asked:";
  std::vector<std::string_view> algorithms;
  for (std::size_t i = 0; i < limits.size(); ++i) algorithms.push_back(line(i, "")->algorithms[0]);
  // A change, or a key, may bring a limit from one of its forms to the other.
  const std::pair<std::string_view, std::string_view> forms[] = {
      {"sliding_log", "sliding_log_spaced"}, {"token_bucket", "token_bucket_empty"}};
  for (const auto& [one, other] : forms) {
    const bool has_one = std::ranges::count(algorithms, one) > 0;
    const bool has_other = std::ranges::count(algorithms, other) > 0;
    if (has_one && !has_other) algorithms.push_back(other);
    if (has_other && !has_one) algorithms.push_back(one);
  }
  const auto script = [&](lua::Entry entry) {
    std::string text = lua::script(entry, algorithms);
    std::string sha1 = net::sha1_hex(text);
    return OneScript{std::move(text), std::move(sha1)};
  };
  acquire_ = script(lua::Entry::acquire);
  release_ = script(lua::Entry::release);
  peek_ = script(lua::Entry::peek);
  acquire_shared_ = script(lua::Entry::acquire_shared);
  release_shared_ = script(lua::Entry::release_shared);
}

void ReplayCalls::limits_changed() {
  costed_ = limits_;
  for (limits::Limit& limit : costed_) limit.cost_from_record = true;
  ++changes_;
}

bool ReplayCalls::append_acquire(std::string& out, const Buckets& buckets, const Acquire& acquire) {
  if (!find(buckets.keys)) return false;
  const std::string memo = acquire.memo == Memo::none ? "" : memo_key(acquire.ask);
  if (acquire.shared) {
    begin(out, acquire_shared_, share_key(*acquire.shared), memo,
          7 + count_of_flows(*acquire.of_flows), buckets.costs);
    append_flows(out, *acquire.shared, *acquire.of_flows);
  } else {
    begin(out, acquire_, "", memo, 7, buckets.costs);
  }
  append_number(out, acquire.min);
  if (acquire.each.size() > 1) {
    append_list(out, acquire.each);
  } else {
    append_number(out, acquire.max);
  }
  append_number(out, acquire.horizon.us);
  append_bulk(out, std::string_view(id(acquire.ask, 0)).substr(0, kPrefixBytes));
  append_bulk(out, word(acquire.memo));
  append_number(out, acquire.at.us);
  append_number(out, kTtlSlackMs);
  return true;
}

bool ReplayCalls::append_release(std::string& out, const Buckets& buckets, Instant now, Return why,
                                 std::span<const Permit> permits,
                                 std::optional<std::size_t> shared) {
  if (!find(buckets.keys)) return false;
  if (shared) {
    begin(out, release_shared_, share_key(*shared), "", 4 + 4 * permits.size(), buckets.costs);
  } else {
    begin(out, release_, "", "", 3 + 2 * permits.size(), buckets.costs);
  }
  append_bulk(out, why == Return::ended ? "ended" : "unused");
  append_number(out, now.us);
  append_number(out, kTtlSlackMs);
  if (shared) append_number(out, static_cast<std::int64_t>(*shared));
  for (const Permit& permit : permits) {
    append_bulk(out, id(permit.ask, permit.index));
    append_number(out, permit.at.us);
    if (!shared) continue;
    append_number(out, permit.flow->level);
    append_bulk(out, eight_bytes(permit.flow->id.value));
  }
  return true;
}

bool ReplayCalls::append_peek(std::string& out, const Buckets& buckets, Instant now) {
  if (!find(buckets.keys)) return false;
  begin(out, peek_, "", "", 2, buckets.costs);
  append_number(out, now.us);
  append_number(out, kTtlSlackMs);
  return true;
}

// Of the bucket that was found there.
std::string ReplayCalls::share_key(std::size_t index) const {
  return shared_key(found_[index]->key);
}

std::string ReplayCalls::memo_key(std::uint64_t ask) const {
  return memo_start_ + std::to_string(ask);
}

void ReplayCalls::each_key(const std::function<void(const std::string&)>& take) const {
  for (const auto& limit : words_) {
    for (const auto& [key, words] : limit) take(words.key);
  }
}

LinePtr ReplayCalls::line(std::size_t limit, const std::string& key) const {
  limits::Limit of = costed_[limit];
  if (const auto value = of_key_(limit, key)) of.parameters = value->parameters;
  const Bucket bucket{&of, key};
  return make_line({}, name_space_, {&bucket, 1});
}

ReplayCalls::Words ReplayCalls::encode(std::size_t limit, const std::string& key) const {
  const LinePtr one = line(limit, key);
  const std::size_t cost = one->costs.at(0);
  return {one->first_key, one->arguments.substr(0, cost), one->arguments.substr(cost),
          one->argument_count, changes_};
}

// The words of a call's buckets.
bool ReplayCalls::find(std::span<const std::string> keys) {
  found_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto known = words_[i].find(keys[i]);
    if (known != words_[i].end()) {
      if (known->second.changes != changes_) known->second = encode(i, keys[i]);
      found_.push_back(&known->second);
    } else if (buckets_ == kMostBuckets) {
      return false;
    } else {
      ++buckets_;
      found_.push_back(&words_[i].emplace(keys[i], encode(i, keys[i])).first->second);
    }
  }
  return true;
}

// A call up to what describes its buckets, which find() has found.
void ReplayCalls::begin(std::string& out, OneScript& script, std::string_view share_key,
                        std::string_view more_key, std::size_t more_arguments,
                        std::span<const std::int64_t> costs) {
  const std::size_t keys = found_.size() + (share_key.empty() ? 0 : 1) + (more_key.empty() ? 0 : 1);
  std::size_t arguments = more_arguments;
  for (const Words* words : found_) arguments += words->count;
  append_array(out, 3 + keys + arguments);
  append_bulk(out, script.brought ? "EVALSHA" : "EVAL");
  append_bulk(out, script.brought ? script.sha1 : script.text);
  script.brought = true;
  append_number(out, static_cast<std::int64_t>(keys));
  for (const Words* words : found_) append_bulk(out, words->key);
  if (!share_key.empty()) append_bulk(out, share_key);
  if (!more_key.empty()) append_bulk(out, more_key);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    out.append(found_[i]->before_cost);
    const std::int64_t cost = costs.empty() ? 1 : costs[i];
    append_bulk(out, cost == 0 ? std::string(kOfEach) : std::to_string(cost));
    out.append(found_[i]->behind_cost);
  }
}

}  // namespace einlass::redis
