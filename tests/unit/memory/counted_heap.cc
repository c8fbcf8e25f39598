#include "unit/memory/counted_heap.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace einlass {

CountedHeap heap;

}  // namespace einlass

namespace {

using einlass::heap;

std::ptrdiff_t block_of(void* memory) {
  return static_cast<std::ptrdiff_t>(malloc_usable_size(memory) + sizeof(std::size_t));
}

void* counted(void* memory) {
  if (memory == nullptr) return nullptr;
  ++heap.allocations;
  heap.held += block_of(memory);
  heap.most_held = std::max(heap.most_held, heap.held);
  return memory;
}

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(std::malloc(size));
}
void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory != nullptr) heap.held -= block_of(memory);
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
// Of what begins with a line of the processor's cache.
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* memory = counted(std::aligned_alloc(static_cast<std::size_t>(alignment), size));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
// As the library has them, but not a sanitizer, which would serve the JSON parser past us.
void* operator new[](std::size_t size, const std::nothrow_t& without) noexcept {
  return operator new(size, without);
}
void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { operator delete(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  operator delete(memory);
}
