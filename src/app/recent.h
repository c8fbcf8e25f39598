// The last things worth telling, for /v1/status.
#pragma once

#include <cstddef>
#include <deque>

#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

class Recent {
 public:
  static constexpr std::size_t kMost = 32;

  struct Entry {
    Instant at;
    Notice notice;
  };

  void add(const Notice& notice, Instant at) {
    if (entries_.size() == kMost) entries_.pop_front();
    entries_.push_back({at, notice});
  }

  // The oldest first.
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  std::deque<Entry> entries_;
};

}  // namespace einlass::app
