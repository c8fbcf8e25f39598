// Time as whole microseconds. Instants never come from here: the gate is told the time, and who else
// needs a clock, for a deadline of his own, reads it himself.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace einlass {

// A span of time in whole microseconds; may be negative.
struct Duration {
  std::int64_t us = 0;

  static constexpr Duration micros(std::int64_t n) { return {n}; }
  static constexpr Duration millis(std::int64_t n) { return {n * 1'000}; }
  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000}; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration d) const { return {us + d.us}; }
  constexpr Duration operator-(Duration d) const { return {us - d.us}; }
  constexpr Duration operator*(std::int64_t n) const { return {us * n}; }
  constexpr Duration operator/(std::int64_t n) const { return {us / n}; }
};

// A point in time: microseconds since 1970 on a clock that never goes back. Which clock (ours or
// the limiter's) is said where an Instant is handed over; the two are never compared.
struct Instant {
  std::int64_t us = 0;

  constexpr auto operator<=>(const Instant&) const = default;
  constexpr Instant operator+(Duration d) const { return {us + d.us}; }
  constexpr Instant operator-(Duration d) const { return {us - d.us}; }
  constexpr Duration operator-(Instant other) const { return {us - other.us}; }
};

inline constexpr Instant kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace einlass
