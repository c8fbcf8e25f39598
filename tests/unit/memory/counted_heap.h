// The heap of this program, for each of its tests: it counts every allocation.
#pragma once

#include <cstddef>

namespace einlass {

struct CountedHeap {
  std::size_t allocations = 0;
  std::ptrdiff_t held = 0;  // With what the allocator puts before each block.
  std::ptrdiff_t most_held = 0;
};
extern CountedHeap heap;

}  // namespace einlass
