// How much memory records take beyond what they count as in the bounds of what is inside: those
// that are too large for their routes, until their dead letters are written. There are few of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/contract/ids.h"
#include "units/id.h"

namespace einlass::app {

class Uncounted {
 public:
  // What a record of that size counts as: at most `part`, unless that makes more than `most` that
  // counts as nothing and it is not the first one.
  Bytes count(core::RecordId record, Bytes size, Bytes part, Bytes most) {
    if (size <= part) return size;
    const std::int64_t beyond = size.value - part.value;
    if (!records_.empty() && all_ + beyond > most.value) return size;
    records_.emplace_back(record, beyond);
    all_ += beyond;
    return part;
  }

  // The record is gone; whichever it is.
  void forget(core::RecordId record) {
    if (records_.empty()) return;
    const auto found = std::ranges::find(records_, record, &Record::first);
    if (found == records_.end()) return;
    all_ -= found->second;
    records_.erase(found);
  }

 private:
  using Record = std::pair<core::RecordId, std::int64_t>;
  std::vector<Record> records_;
  std::int64_t all_ = 0;
};

}  // namespace einlass::app
