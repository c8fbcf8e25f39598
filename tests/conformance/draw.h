// Random limits, small enough that everything that can happen happens often.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "limits/contract/limit.h"

namespace einlass::conformance {

// An algorithm in one of its modes. A new one is entered in draw.cc.
using Kind = std::string_view;
std::vector<Kind> all_kinds();

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }

  // REQUIRES: one of all_kinds().
  limits::Parameters parameters(Kind kind);

  // Those of the same bucket after a change of the configuration. A log's window only shrinks: what
  // a longer one still knows is not said.
  limits::Parameters changed(Kind kind, const limits::Parameters& before);

  // What several kinds draw theirs from.
  Permits limit();
  Duration window();
  limits::Rate rate();
  Permits capacity(limits::Rate rate, std::int64_t most_units);
  limits::WarmUpParameters warm_up();
  limits::SlidingLogParameters sliding_log();

 private:
  std::mt19937_64 random_;
};

}  // namespace einlass::conformance
