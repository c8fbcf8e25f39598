// Numbers and texts out of the bytes that a fuzzer makes up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace einlass::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes one line off the front of `text`, without its end; all of it if it has none.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Zeros and empty texts when the bytes are used up. They outlive it and what it gives.
class Source {
 public:
  Source(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  bool bit() { return (byte() & 1) != 0; }

  // Of any length: the first byte says how many more it has.
  std::int64_t number() {
    std::uint64_t value = 0;
    for (int bytes = byte() % 9; bytes > 0; --bytes) value = value << 8 | byte();
    return static_cast<std::int64_t>(value);
  }
  std::int64_t number(std::int64_t from, std::int64_t to) {
    const auto range = static_cast<std::uint64_t>(to - from) + 1;
    return from + static_cast<std::int64_t>(static_cast<std::uint64_t>(number()) % range);
  }

  // At most 255 bytes: the first says how many.
  std::string_view text() {
    const std::size_t length = std::min<std::size_t>(byte(), size_);
    const std::string_view taken = text_of(data_, length);
    data_ += length;
    size_ -= length;
    return taken;
  }

  // What is left.
  std::string_view rest() const { return text_of(data_, size_); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace einlass::fuzz
