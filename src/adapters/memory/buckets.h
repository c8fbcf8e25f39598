// The table of buckets by limit and key. A bucket that no line uses leaves once it is full again.
#pragma once

#include <array>
#include <boost/intrusive/unordered_set.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limits/contract/limit.h"
#include "limits/fleet/fleet_share.h"
#include "limits/permits/acquire.h"
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

  // Numbers that hold for a bucket where they are not those of its limit; null where they are.
  using Value = std::shared_ptr<const limits::Limit>;

  // One more line uses the bucket; makes it if there is none. `limit` outlives the table, and is
  // what the bucket goes by whatever the numbers are that hold for it.
  BucketId use(const limits::Limit& limit, const std::string& key, const Value& value = nullptr);

  // One line fewer uses it. The last one leaves the numbers by which it may be forgotten.
  // REQUIRES: as often as use() at most.
  void leave(BucketId id, const Value& value = nullptr);

  // Stays where it is while a line uses the bucket.
  limits::State& state(BucketId id) { return slots_[id.value]->state; }

  const limits::Limit& limit(BucketId id) const { return *slots_[id.value]->limit; }

  // What the flows that share the bucket have had of it; as long-lived.
  limits::FleetShare& share(BucketId id);

  // Forgets a few of the unused buckets that are as good as new at `now`.
  void sweep(Instant now);

  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kParts = 256;

  // Hooked into the set itself: to find, make and forget a bucket touches no more memory than the
  // bucket's own and its slot in the set, and tenants that come once do all three.
  struct Slot : boost::intrusive::unordered_set_base_hook<> {
    const limits::Limit* limit = nullptr;
    Value value;           // Of whoever used it last.
    std::size_t hash = 0;  // Of limit and key.
    std::string key;
    BucketId id;
    std::uint32_t lines = 0;
    bool unused_listed = false;
    limits::State state;
    std::unique_ptr<limits::FleetShare> share;  // Null where nobody has asked for flows.
  };
  struct Name {
    const limits::Limit* limit;
    const std::string& key;
    std::size_t hash;
  };
  struct Hash {
    // What has not gone into the choice of the part.
    std::size_t operator()(const Slot& slot) const noexcept { return slot.hash / kParts; }
    std::size_t operator()(const Name& name) const noexcept { return name.hash / kParts; }
  };
  struct Same {
    bool operator()(const Slot& a, const Slot& b) const { return &a == &b; }
    bool operator()(const Name& a, const Slot& b) const {
      return a.hash == b.hash && a.limit == b.limit && a.key == b.key;
    }
  };
  using Set = boost::intrusive::unordered_set<Slot, boost::intrusive::hash<Hash>,
                                              boost::intrusive::equal<Same>,
                                              boost::intrusive::power_2_buckets<true>>;
  // One of many, as a table that grows puts all that it holds elsewhere at once.
  struct Part {
    std::vector<Set::bucket_type> heads{16};
    Set set{Set::bucket_traits(heads.data(), heads.size())};

    void insert(Slot& slot);
  };
  Part& part_of(std::size_t hash) { return parts_[hash % kParts]; }
  Slot& make(const Name& name, const limits::Parameters& in_force);
  static const limits::Parameters& parameters_of(const limits::Limit& limit, const Value& value) {
    return value ? value->parameters : limit.parameters;
  }
  void forget(BucketId id);

  std::vector<std::unique_ptr<Slot>> slots_;  // By BucketId; null: free.
  std::vector<BucketId> free_;
  std::vector<std::unique_ptr<Slot>> spare_;
  std::size_t size_ = 0;
  std::vector<BucketId> unused_;    // Each once; may hold some that are used again.
  std::size_t cursor_ = 0;          // Where in unused_ the next sweep goes on.
  std::array<Part, kParts> parts_;  // Outlived by what is in them.
};

}  // namespace einlass::memory
