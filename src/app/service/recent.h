// The last things worth telling, for /v1/status: each once, with the time when it was said last, so
// that what is said for ever crowds out no other.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>

#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

// May be used from any thread.
class Recent {
 public:
  static constexpr std::size_t kMost = 32;

  struct Entry {
    Instant at;
    Notice notice;
  };

  void add(const Notice& notice, Instant at) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& one) {
      return one.notice.what == notice.what && one.notice.detail == notice.detail;
    });
    if (entries_.size() == kMost) entries_.pop_front();
    entries_.push_back({at, notice});
  }

  // The oldest first.
  std::deque<Entry> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace einlass::app
