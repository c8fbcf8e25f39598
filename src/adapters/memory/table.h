// The buckets of the limits that are kept in this process: one table for all its shards, so that a
// limit in memory holds for the process and not for each of its threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "adapters/memory/buckets.h"
#include "units/time.h"

namespace einlass::memory {

// May be used from any thread. Outlives the stores that use it.
//
// Whoever looks at a bucket, or at the parameters of a limit that has some, holds the lock
// meanwhile. It is held for one ask at most, and with one shard nobody else wants it.
class Table {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Calls `write` while nobody asks: to give limits other numbers. What was spent stays spent.
  void change(const std::function<void()>& write);

  std::size_t size() const;

 private:
  friend class Store;

  // The table's time: no shard's asks are answered for an instant before one that another was
  // answered for, as a bucket may have been forgotten in between.
  Instant moved_on(Instant now) { return now_ = std::max(now_, now); }

  mutable std::mutex mutex_;
  Buckets buckets_;
  Instant now_;
  std::uint16_t stores_ = 0;  // That were made so far: each names its permits by its own number.
};

}  // namespace einlass::memory
