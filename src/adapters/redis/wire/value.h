// A reply of any shape, as a tree, read by hiredis' parser: for the few questions about where
// things are. What limits are asked goes through reply_reader.h, which allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct redisReader;

namespace einlass::redis {

// More is no answer to anything we ask: a cluster of a thousand nodes with every slot in a range of
// its own stays below.
inline constexpr std::size_t kMostValues = 1'000'000;
inline constexpr std::size_t kLongestAnswer = 4 << 20;  // In bytes, as they come.
inline constexpr int kMostNested = 6;

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

class ValueReader {
 public:
  enum class Result : std::uint8_t { done, more_needed, broken };

  ValueReader();
  ~ValueReader();
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;

  // Takes bytes in any pieces; call next() until it needs more before the next feed().
  void feed(std::span<const char> bytes);

  // `broken` means that the bytes were no replies or too long, and stays.
  Result next();

  // The reply that next() found, until it is called again.
  const Value& value() const { return value_; }

 private:
  struct Build;  // What hiredis calls.
  struct Free {
    void operator()(redisReader* reader) const;
  };

  Value value_;
  std::size_t values_ = 0;  // Of the reply being read, with those that an array promises.
  std::size_t fed_ = 0;     // Bytes, since the last reply was complete.
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace einlass::redis
