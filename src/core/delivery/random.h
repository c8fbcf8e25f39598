// Numbers for jitter, from a seed: the same seed gives the same numbers.
#pragma once

#include <cstdint>

namespace einlass::core {

// SplitMix64 (Steele, Lea and Flood 2014): good enough to spread retries, one word of state.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // Evenly from 0 to `most`, both included. REQUIRES: most >= 0.
  std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most) + 1));
  }

 private:
  std::uint64_t next() {
    std::uint64_t x = (state_ += 0x9E3779B97F4A7C15u);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace einlass::core
