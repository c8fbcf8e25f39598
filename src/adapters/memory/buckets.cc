#include "adapters/memory/buckets.h"

#include <functional>
#include <utility>

#include "units/check.h"

namespace einlass::memory {

BucketId Buckets::use(const limits::Limit& limit, const std::string& key) {
  name_.limit = &limit;
  name_.key = key;
  name_.hash = std::hash<std::string>{}(key)*31 + std::hash<const limits::Limit*>{}(&limit);
  const ByName& part = part_of(name_);
  const auto found = part.find(name_);
  const BucketId id = found != part.end() ? found->second.id : make();
  ++slot(id).lines;
  return id;
}

// The bucket of name_. REQUIRES: there is none.
BucketId Buckets::make() {
  ByName& part = part_of(name_);
  ByName::value_type* made = nullptr;
  if (spare_.empty()) {
    made = &*part.try_emplace(name_).first;
  } else {
    spare_.back().key() = name_;
    made = &*part.insert(std::move(spare_.back())).position;
    spare_.pop_back();
  }
  ++size_;
  if (free_.empty()) {
    free_.push_back({static_cast<std::uint32_t>(slots_.size())});
    slots_.emplace_back();
  }
  const BucketId id = free_.back();
  free_.pop_back();
  slots_[id.value] = made;
  made->second = {.id = id, .state = limits::fresh(name_.limit->parameters, name_.key)};
  return id;
}

void Buckets::leave(BucketId id) {
  Slot& left = slot(id);
  CHECK(left.lines > 0);
  if (--left.lines > 0 || left.unused_listed) return;
  left.unused_listed = true;
  unused_.push_back(id);
}

void Buckets::sweep(Instant now) {
  std::size_t kept = 0;
  std::size_t forgotten = 0;
  while (kept < kKeptAtOnce && forgotten < kForgottenAtOnce && !unused_.empty()) {
    if (cursor_ >= unused_.size()) cursor_ = 0;
    const BucketId id = unused_[cursor_];
    auto& [name, slot] = *slots_[id.value];
    const bool unused = slot.lines == 0;
    if (unused && !limits::is_fresh(name.limit->parameters, slot.state, now)) {
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
  const Name& name = slots_[id.value]->first;
  ByName::node_type node = part_of(name).extract(name);
  if (spare_.size() < kSpare && node.key().key.capacity() <= kSpareKey) {
    node.mapped().state = {};  // A log may be long.
    spare_.push_back(std::move(node));
  }
  --size_;
  slots_[id.value] = nullptr;
  free_.push_back(id);
}

}  // namespace einlass::memory
