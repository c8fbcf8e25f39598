// A reply of any shape, as a tree: for the few questions about where things are. What limits are
// asked goes through reply_reader.h, which allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::redis {

// More is no answer to anything we ask: a cluster of a thousand nodes with every slot in a range of
// its own stays below.
inline constexpr std::size_t kMostValues = 1'000'000;
inline constexpr int kMostNested = 8;

struct Value {
  enum class Kind : std::uint8_t { nil, status, error, integer, text, array };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text;  // Of a status, an error or a text.
  std::vector<Value> elements;

  bool is_array_of(std::size_t least) const {
    return kind == Kind::array && elements.size() >= least;
  }
};

enum class ReadValue : std::uint8_t { done, more_needed, broken };

// Reads the first reply in `bytes` into `value` and takes it off. `bytes` stays as it is where more
// of them are needed.
ReadValue read_value(std::string_view& bytes, Value& value);

}  // namespace einlass::redis
