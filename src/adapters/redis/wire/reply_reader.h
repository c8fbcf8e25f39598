// Redis' replies, read by hiredis' parser into one flat value that is used again and again, so that
// reading allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct redisReader;

namespace einlass::redis {

// A longer array, or one value of more bytes, is no answer to anything we ask. The bytes of a value
// that is not complete are read again with every piece, so this bounds the work as well.
inline constexpr std::size_t kMaxReplyElements = 4'096;
inline constexpr std::size_t kMaxValueBytes = 64 * 1024;

// At most so much of an error's text is kept.
inline constexpr std::size_t kMaxReplyText = 512;

struct Reply {
  // `other` is everything the limiter's scripts never answer with, nested arrays for one.
  enum class Kind : std::uint8_t { status, error, integer, array, other };

  Kind kind = Kind::other;
  std::vector<std::int64_t> integers;  // Of an integer or an array.
  std::string text;  // Of a status or an error, or the string with which an array begins.
};

class ReplyReader {
 public:
  enum class Result : std::uint8_t { reply, more_needed, broken };

  explicit ReplyReader(std::size_t most_elements = kMaxReplyElements);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // Takes bytes in any pieces; call next() until it needs more before the next feed().
  void feed(std::span<const char> bytes);

  // `broken` means that the bytes were no replies or too long, and stays.
  Result next();

  // The reply that next() found, until it is called again.
  const Reply& reply() const { return reply_; }

 private:
  struct Build;  // What hiredis calls.
  struct Free {
    void operator()(redisReader* reader) const;
  };

  Reply reply_;
  std::size_t most_elements_;
  std::size_t elements_ = 0;  // Of the reply being read, nested ones included.
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace einlass::redis
