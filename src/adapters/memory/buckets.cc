#include "adapters/memory/buckets.h"

#include <functional>

#include "units/check.h"

namespace einlass::memory {

std::size_t Buckets::NameHash::operator()(const Name& name) const {
  return std::hash<std::string>{}(name.second) * 31 + std::hash<const limits::Limit*>{}(name.first);
}

BucketId Buckets::use(const limits::Limit& limit, const std::string& key) {
  const auto [found, is_new] = by_name_.try_emplace(Name{&limit, key}, BucketId{});
  if (is_new) {
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
  for (std::size_t looked = 0; looked < kSweptAtOnce && !unused_.empty(); ++looked) {
    if (cursor_ >= unused_.size()) cursor_ = 0;
    const BucketId id = unused_[cursor_];
    Slot& slot = *slots_[id.value];
    const bool leaves =
        slot.lines == 0 && limits::is_fresh(slot.name.first->parameters, slot.state, now);
    if (slot.lines == 0 && !leaves) {
      ++cursor_;
      continue;
    }
    slot.unused_listed = false;
    unused_[cursor_] = unused_.back();
    unused_.pop_back();
    if (!leaves) continue;
    by_name_.erase(slot.name);
    slots_[id.value].reset();
    free_.push_back(id);
  }
}

}  // namespace einlass::memory
