// What is JSON and simdjson refuses: integers beyond 64 bits, and half a surrogate pair.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace einlass::app {

struct JsonOddities {
  bool wide_integers = false;
  bool half_pairs = false;  // The second half of a pair without the first.
  std::size_t opened = 0;   // Lists and objects: they are nested no deeper.

  bool any() const { return wide_integers || half_pairs; }
};

// Writes the text so that the parser takes it and `text` is JSON if and only if `out` is: an
// integer beyond 64 bits has an exponent of 0 there, which makes it the nearest floating point
// number; half a pair is a space. Says what it found.
JsonOddities write_without_oddities(std::string_view text, std::string& out);

}  // namespace einlass::app
