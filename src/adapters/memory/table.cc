#include "adapters/memory/table.h"

namespace einlass::memory {

void Table::change(const std::function<void()>& write) {
  const std::lock_guard lock(mutex_);
  write();
}

std::size_t Table::size() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace einlass::memory
