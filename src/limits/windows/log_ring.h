// The entries of a sliding log in the order of their instants: a ring that grows by doubling.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "limits/contract/permit_id.h"
#include "units/time.h"

namespace einlass::limits {

class LogRing {
 public:
  struct Entry {
    Instant at;
    PermitId id;
  };

  LogRing() = default;
  LogRing(LogRing&& other) noexcept { *this = std::move(other); }
  LogRing& operator=(LogRing&& other) noexcept {
    entries_ = std::move(other.entries_);
    capacity_ = std::exchange(other.capacity_, 0);
    front_ = std::exchange(other.front_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  const Entry& operator[](std::size_t i) const { return entries_[(front_ + i) & (capacity_ - 1)]; }

  // REQUIRES: entry.at is not before that of the last entry.
  void push_back(const Entry& entry);

  // How many entries, from the oldest, are not after `instant`.
  std::size_t count_until(Instant instant) const;

  // Forgets the `count` oldest entries. REQUIRES: count <= size().
  void pop_front(std::size_t count) {
    front_ = (front_ + count) & (capacity_ - 1);
    size_ -= count;
  }

  // Forgets all entries of that id, which stand side by side; looks from the newest back, down to
  // the index `oldest`. True if there was one.
  bool erase(const PermitId& id, std::size_t oldest);

 private:
  void grow();

  std::unique_ptr<Entry[]> entries_;
  std::size_t capacity_ = 0;  // 0 or a power of two.
  std::size_t front_ = 0;     // Where the oldest entry stands.
  std::size_t size_ = 0;
};

}  // namespace einlass::limits
