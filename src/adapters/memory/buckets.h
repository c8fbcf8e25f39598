// The table of buckets by limit and key. A bucket that no line uses leaves once it is full again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "limits/acquire.h"
#include "limits/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::memory {

// Given out by Buckets, dense from 0; used again after the bucket has left.
using BucketId = Strong<struct BucketTag, std::uint32_t>;

class Buckets {
 public:
  // How many unused buckets a sweep looks at in vain, and how many it forgets, at most: a fixed
  // price for every ask. As each ask can leave at most one line's buckets behind, sweeps keep up
  // with what comes; what a flood of keys has left is gone soon once it is as good as new.
  static constexpr std::size_t kKeptAtOnce = 4;
  static constexpr std::size_t kForgottenAtOnce = 16;

  // What a bucket takes is kept for one to come, for so many of them and with keys as long as this:
  // tenants that come and go then cost no allocations.
  static constexpr std::size_t kSpare = 4096;
  static constexpr std::size_t kSpareKey = 64;

  // One more line uses the bucket; makes it if there is none. `limit` outlives the table.
  BucketId use(const limits::Limit& limit, const std::string& key);

  // One line fewer uses it. REQUIRES: as often as use() at most.
  void leave(BucketId id);

  // Stays where it is while a line uses the bucket.
  limits::State& state(BucketId id) { return slot(id).state; }

  // Forgets a few of the unused buckets that are as good as new at `now`.
  void sweep(Instant now);

  std::size_t size() const { return size_; }

 private:
  struct Name {
    const limits::Limit* limit = nullptr;
    std::string key;
    std::size_t hash = 0;  // Of the two.

    bool operator==(const Name&) const = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const noexcept { return name.hash; }
  };
  struct Slot {
    BucketId id;
    limits::State state;
    std::size_t lines = 0;
    bool unused_listed = false;
  };

  // Cut into parts, as a table that grows puts all that it holds elsewhere at once.
  using ByName = std::unordered_map<Name, Slot, NameHash>;
  static constexpr std::size_t kParts = 256;

  void forget(BucketId id);
  ByName& part_of(const Name& name) { return by_name_[name.hash / 8 % kParts]; }
  Slot& slot(BucketId id) { return slots_[id.value]->second; }
  BucketId make();

  std::deque<ByName::value_type*> slots_;  // By BucketId; null: free.
  std::vector<BucketId> free_;
  std::array<ByName, kParts> by_name_;
  std::vector<ByName::node_type> spare_;
  Name name_;  // Scratch.
  std::size_t size_ = 0;
  std::vector<BucketId> unused_;  // Each once; may hold some that are used again.
  std::size_t cursor_ = 0;        // Where in unused_ the next sweep goes on.
};

}  // namespace einlass::memory
