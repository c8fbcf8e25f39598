// What is JSON and simdjson refuses: integers beyond 64 bits, and half a surrogate pair. And what
// it takes very long to read: a number with more than 19 digits and an exponent, for which it
// calculates with hundreds of digits, 9 us for each of 27 bytes (3.0.1).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace einlass::app {

// Whether there are so many of those that the parser would need more than a fraction of a
// millisecond. Looks at one byte of twenty, and where that may be of a number at what is beside it:
// such numbers within texts count as well.
bool has_many_slow_numbers(std::string_view text);

struct JsonOddities {
  bool wide_integers = false;
  bool half_pairs = false;  // The second half of a pair without the first.
  std::size_t opened = 0;   // Lists and objects: they are nested no deeper.

  bool any() const { return wide_integers || half_pairs; }
};

// Writes the text so that the parser takes it and `text` is JSON if and only if `out` is: an
// integer beyond 64 bits has an exponent of 0 there, which makes it the nearest floating point
// number; a slow number is written with as many digits as tell it from all others; half a pair is a
// space. Says what it found.
JsonOddities write_without_oddities(std::string_view text, std::string& out);

}  // namespace einlass::app
