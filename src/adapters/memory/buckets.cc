#include "adapters/memory/buckets.h"

#include <functional>
#include <utility>

#include "units/check.h"

namespace einlass::memory {

std::size_t Buckets::NameHash::operator()(const Name& name) const {
  return std::hash<std::string>{}(name.second) * 31 + std::hash<const limits::Limit*>{}(name.first);
}

BucketId Buckets::use(const limits::Limit& limit, const std::string& key) {
  Name name{&limit, key};
  const auto [found, is_new] = part_of(name).try_emplace(std::move(name), BucketId{});
  if (is_new) {
    ++size_;
    if (free_.empty()) {
      free_.push_back({static_cast<std::uint32_t>(slots_.size())});
      slots_.emplace_back();
    }
    found->second = free_.back();
    free_.pop_back();
    slots_[found->second.value] =
        std::make_unique<Slot>(Slot{found->first, limits::fresh(limit.parameters, key)});
  }
  ++slots_[found->second.value]->lines;
  return found->second;
}

void Buckets::leave(BucketId id) {
  Slot& slot = *slots_[id.value];
  CHECK(slot.lines > 0);
  if (--slot.lines > 0 || slot.unused_listed) return;
  slot.unused_listed = true;
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
    if (unused && !limits::is_fresh(slot.name.first->parameters, slot.state, now)) {
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
  const Name& name = slots_[id.value]->name;
  part_of(name).erase(name);
  --size_;
  slots_[id.value].reset();
  free_.push_back(id);
}

}  // namespace einlass::memory
