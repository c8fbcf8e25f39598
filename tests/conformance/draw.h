// Random limits, small enough that everything that can happen happens often.
#pragma once

#include <cstdint>
#include <random>

#include "limits/limit.h"

namespace einlass::conformance {

enum class Kind : std::uint8_t {
  sliding_log,
  token_bucket,
  fixed_window,
  counter,
  sliding_window,
  sliding_window_newest,
  leaky_meter,
  leaky_queue,
  smooth,
  warm_up,
  concurrency,
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }

  limits::Parameters parameters(Kind kind);

  // Those of the same bucket after a change of the configuration. A log's window only shrinks: what
  // a longer one still knows is not said.
  limits::Parameters changed(Kind kind, const limits::Parameters& before);

 private:
  Permits limit();
  Duration window();
  limits::Rate rate();
  Permits capacity(limits::Rate rate, std::int64_t most_units);
  limits::WarmUpParameters warm_up();
  limits::SlidingLogParameters sliding_log();

  std::mt19937_64 random_;
};

}  // namespace einlass::conformance
