// The clock of the simulated world: it moves only from one planned happening to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "units/time.h"

namespace einlass::simulation {

class Timeline {
 public:
  Instant now() const { return now_; }

  // Things planned for the same instant happen in the order in which they were planned.
  void at(Instant when, std::function<void()> what) {
    plan_.push_back({std::max(when, now_), sequence_++, std::move(what)});
    std::push_heap(plan_.begin(), plan_.end());
  }
  void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // Moves to the next happening and lets it happen. False if nothing is planned up to `end`.
  bool step(Instant end) {
    if (plan_.empty() || plan_.front().when > end) return false;
    std::pop_heap(plan_.begin(), plan_.end());
    Happening happening = std::move(plan_.back());
    plan_.pop_back();
    now_ = happening.when;
    happening.what();
    return true;
  }

 private:
  struct Happening {
    Instant when;
    std::uint64_t sequence;
    std::function<void()> what;
    bool operator<(const Happening& other) const {
      return std::pair(other.when, other.sequence) < std::pair(when, sequence);
    }
  };

  // Not zero: an instant that nobody has set must not look like one.
  Instant now_{1'700'000'000'000'000};
  std::uint64_t sequence_ = 0;
  std::vector<Happening> plan_;
};

}  // namespace einlass::simulation
