// Where a record stands in a list.
#pragma once

#include <cstdint>

#include "core/containers/list.h"
#include "core/records/record.h"

namespace einlass::core {

// How many stand before the one in that slot, as far as `most`. REQUIRES: it is in such a list.
inline std::uint64_t records_before(const Records& records, Slot slot, Links Record::*links,
                                    std::uint64_t most = ~std::uint64_t{0}) {
  std::uint64_t count = 0;
  while (count < most && (slot = (records[slot].*links).prev) != kNoSlot) ++count;
  return count;
}

}  // namespace einlass::core
