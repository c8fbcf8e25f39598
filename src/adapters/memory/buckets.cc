#include "adapters/memory/buckets.h"

#include <utility>

#include "units/check.h"
#include "units/keyed_hash.h"

namespace einlass::memory {

BucketId Buckets::use(const limits::Limit& limit, const std::string& key, const Value& value) {
  const std::size_t hash = keyed_hash(key) + reinterpret_cast<std::uintptr_t>(&limit);
  const Name name{&limit, key, hash};
  Set& set = part_of(hash).set;
  const auto found = set.find(name, Hash(), Same());
  Slot& slot = found != set.end() ? *found : make(name, parameters_of(limit, value));
  ++slot.lines;
  return slot.id;
}

limits::FleetShare& Buckets::share(BucketId id) {
  auto& share = slots_[id.value]->share;
  if (!share) share = std::make_unique<limits::FleetShare>();
  return *share;
}

// REQUIRES: there is none of this name.
Buckets::Slot& Buckets::make(const Name& name, const limits::Parameters& in_force) {
  if (spare_.empty()) spare_.push_back(std::make_unique<Slot>());
  if (free_.empty()) {
    free_.push_back({static_cast<std::uint32_t>(slots_.size())});
    slots_.emplace_back();
  }
  const BucketId id = free_.back();
  free_.pop_back();
  slots_[id.value] = std::move(spare_.back());
  spare_.pop_back();
  Slot& made = *slots_[id.value];
  made.limit = name.limit;
  made.hash = name.hash;
  made.key = name.key;
  made.id = id;
  made.state = limits::fresh(in_force, name.key);
  part_of(name.hash).insert(made);
  ++size_;
  return made;
}

void Buckets::Part::insert(Slot& slot) {
  if (set.size() == heads.size()) {
    std::vector<Set::bucket_type> more(2 * heads.size());
    set.rehash({more.data(), more.size()});
    heads.swap(more);
  }
  set.insert(slot);
}

void Buckets::leave(BucketId id, const Value& value) {
  Slot& left = *slots_[id.value];
  CHECK(left.lines > 0);
  if (--left.lines > 0) return;
  left.value = value;
  if (left.unused_listed) return;
  left.unused_listed = true;
  unused_.push_back(id);
}

void Buckets::sweep(Instant now) {
  std::size_t kept = 0;
  std::size_t forgotten = 0;
  while (kept < kKeptAtOnce && forgotten < kForgottenAtOnce && !unused_.empty()) {
    if (cursor_ >= unused_.size()) cursor_ = 0;
    const BucketId id = unused_[cursor_];
    Slot& slot = *slots_[id.value];
    const bool unused = slot.lines == 0;
    if (unused && !limits::is_fresh(parameters_of(*slot.limit, slot.value), slot.state, now)) {
      ++cursor_;
      ++kept;
      continue;
    }
    slot.unused_listed = false;
    unused_[cursor_] = unused_.back();
    unused_.pop_back();
    ++forgotten;
    if (unused) forget(id);
  }
}

void Buckets::forget(BucketId id) {
  std::unique_ptr<Slot> slot = std::move(slots_[id.value]);
  slot->value = nullptr;
  Set& set = part_of(slot->hash).set;
  set.erase(set.iterator_to(*slot));
  if (spare_.size() < kSpare && slot->key.capacity() <= kSpareKey) {
    slot->state = {};  // A log may be long.
    slot->share.reset();
    spare_.push_back(std::move(slot));
  }
  --size_;
  free_.push_back(id);
}

}  // namespace einlass::memory
