#include "limits/windows/log_ring.h"

#include <algorithm>

namespace einlass::limits {

void LogRing::push_back(const Entry& entry) {
  if (size_ == capacity_) grow();
  entries_[(front_ + size_) & (capacity_ - 1)] = entry;
  ++size_;
}

std::size_t LogRing::count_until(Instant instant) const {
  // Mostly it is few of many, so it looks near the front first.
  std::size_t low = 0;
  std::size_t high = 1;
  while (high <= size_ && (*this)[high - 1].at <= instant) {
    low = high;
    high *= 2;
  }
  for (high = std::min(high - 1, size_); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if ((*this)[middle].at <= instant) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool LogRing::erase(const PermitId& id, std::size_t oldest) {
  std::size_t end = size_;
  while (end > oldest && (*this)[end - 1].id != id) --end;
  std::size_t begin = end;
  while (begin > oldest && (*this)[begin - 1].id == id) --begin;
  if (begin == end) return false;
  for (std::size_t from = end; from < size_; ++from) {
    entries_[(front_ + from - (end - begin)) & (capacity_ - 1)] = (*this)[from];
  }
  size_ -= end - begin;
  return true;
}

void LogRing::grow() {
  constexpr std::size_t kFirstCapacity = 8;
  const std::size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
  auto entries = std::make_unique<Entry[]>(capacity);
  for (std::size_t i = 0; i < size_; ++i) entries[i] = (*this)[i];
  entries_ = std::move(entries);
  capacity_ = capacity;
  front_ = 0;
}

}  // namespace einlass::limits
