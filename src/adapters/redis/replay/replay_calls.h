// Calls of the limiter's scripts with instants of the caller's own, as bytes: what a replay of a
// trace sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/redis/calls/line.h"
#include "adapters/redis/calls/script_calls.h"
#include "limits/contract/limit.h"
#include "limits/fleet/fleet_share.h"
#include "units/keyed_hash.h"
#include "units/time.h"

namespace einlass::redis {

class ReplayCalls {
 public:
  // The caller's clock is invented and Redis expires keys by its own, so they live for this much
  // longer; and they are gone after that if nobody could delete them.
  static constexpr std::int64_t kTtlSlackMs = 3'600'000;

  // Kept in mind, so that they can be deleted.
  static constexpr std::size_t kMostBuckets = 1'000'000;

  // The buckets that the next call is for: a key and a cost for each limit. No costs are all 1; 0
  // is that of each permit.
  struct Buckets {
    std::span<const std::string> keys;
    std::span<const std::int64_t> costs;
  };

  enum class Memo : std::uint8_t { none, remember, again };

  struct Acquire {
    std::uint64_t ask = 0;  // Makes the permits' ids, and names the memo.
    Instant at;
    std::int64_t min = 1;
    std::int64_t max = 1;
    Duration horizon;
    Memo memo = Memo::none;
    std::span<const Permits> each{};                // What each permit costs, where some cost is 0.
    std::optional<std::size_t> shared{};            // The bucket that flows share, and what
    const limits::ShareDemand* of_flows = nullptr;  // is said of them.
  };

  struct Permit {
    std::uint64_t ask = 0;
    std::uint16_t index = 0;
    Instant at;
    const AskingFlow* flow = nullptr;  // Where flows share a bucket.
  };

  // A limit as it is for a key, by its index; null where its own numbers hold.
  using OfKey =
      std::function<std::shared_ptr<const limits::Limit>(std::size_t limit, std::string_view key)>;

  // All keys begin with `name_space`. REQUIRES: 1 to kMaxBuckets limits, which outlive it; call
  // limits_changed() after their parameters have changed.
  ReplayCalls(std::string name_space, const std::vector<limits::Limit>& limits, OfKey of_key);

  void limits_changed();

  // Each appends a command. False if there would be more than kMostBuckets buckets.
  bool append_acquire(std::string& out, const Buckets& buckets, const Acquire& acquire);
  bool append_release(std::string& out, const Buckets& buckets, Instant now, Return why,
                      std::span<const Permit> permits,
                      std::optional<std::size_t> shared = std::nullopt);
  bool append_peek(std::string& out, const Buckets& buckets, Instant now);

  // Where Redis remembers what the ask was granted.
  std::string memo_key(std::uint64_t ask) const;

  // Calls `take` with the key of each bucket that was ever asked for.
  void each_key(const std::function<void(const std::string&)>& take) const;
  std::size_t buckets() const { return buckets_; }

 private:
  // A bucket in the protocol's bytes: its key, and what describes its limit before and behind the
  // cost.
  struct Words {
    std::string key;
    std::string before_cost, behind_cost;
    std::size_t count = 0;      // Of arguments, with the cost.
    std::uint64_t changes = 0;  // How often limits had changed when this was encoded.
  };

  struct OneScript {
    std::string text, sha1;
    bool brought = false;  // Sent once, so the server knows it by its digest.
  };

  std::string share_key(std::size_t index) const;
  LinePtr line(std::size_t limit, const std::string& key) const;
  Words encode(std::size_t limit, const std::string& key) const;
  bool find(std::span<const std::string> keys);
  void begin(std::string& out, OneScript& script, std::string_view share_key,
             std::string_view more_key, std::size_t more_arguments,
             std::span<const std::int64_t> costs);

  std::string name_space_;
  const std::vector<limits::Limit>& limits_;
  OfKey of_key_;
  std::vector<limits::Limit> costed_;  // The same, with costs that come with each call.
  std::uint64_t changes_ = 0;
  std::string memo_start_;
  OneScript acquire_, release_, peek_, acquire_shared_, release_shared_;
  using WordsByKey = std::unordered_map<std::string, Words, KeyedHash, std::equal_to<>>;
  std::vector<WordsByKey> words_;  // By the limit's index.
  std::size_t buckets_ = 0;
  std::vector<const Words*> found_;  // Of the call being made.
};

}  // namespace einlass::redis
