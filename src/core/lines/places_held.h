// How the lines of a target hold its places: how many of these are beyond a part that is the same
// for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/check.h"

namespace einlass::core {

class PlacesHeld {
 public:
  // A line that holds so many takes one more.
  void take(std::uint32_t held) {
    if (held >= more_than_.size()) more_than_.resize(held + std::size_t{1});
    ++more_than_[held];
    ++all_;
    within_ += held < part_;
  }

  // A line that holds so many gives one back.
  void give_back(std::uint32_t held) {
    CHECK(held > 0 && held <= more_than_.size() && more_than_[held - 1] > 0);
    --more_than_[held - 1];
    --all_;
    within_ -= held - 1 < part_;
  }

  // A line that holds so many comes, or goes.
  void come(std::uint32_t held) {
    for (std::uint32_t i = 0; i < held; ++i) take(i);
  }
  void go(std::uint32_t held) {
    for (; held > 0; --held) give_back(held);
  }

  std::int64_t all() const { return all_; }

  // Takes time only where the part is another one than when it was last asked.
  std::int64_t beyond(std::int64_t part) const {
    const auto size = static_cast<std::int64_t>(more_than_.size());
    const std::int64_t to = std::min(part, size);
    std::int64_t at = std::min(part_, size);
    for (; at < to; ++at) within_ += more_than_[static_cast<std::size_t>(at)];
    for (; at > to; --at) within_ -= more_than_[static_cast<std::size_t>(at - 1)];
    part_ = part;
    return all_ - within_;
  }

 private:
  std::vector<std::uint32_t> more_than_;  // [n]: how many lines hold more than n.
  std::int64_t all_ = 0;
  mutable std::int64_t part_ = 0;    // As it was last asked for, ...
  mutable std::int64_t within_ = 0;  // ... and how many are not beyond it.
};

}  // namespace einlass::core
