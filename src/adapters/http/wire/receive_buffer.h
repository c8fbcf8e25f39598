// The bytes that were received and not yet understood: one contiguous block that starts small,
// grows when a read fills it, and never beyond its bound.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace einlass::http {

class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(std::size_t max_bytes) : max_bytes_{max_bytes} {}

  // Where the next read goes. Empty only if `max_bytes` wait unread.
  std::span<char> room();

  // The first `bytes` of room() were filled.
  void added(std::size_t bytes) { end_ += bytes; }

  // What has not been consumed yet. Valid until the next room().
  std::string_view unread() const { return {bytes_.data() + begin_, end_ - begin_}; }

  // The first `bytes` of unread() are done with.
  void consume(std::size_t bytes);

 private:
  static constexpr std::size_t kFirstSize = 4 * 1024;

  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t max_bytes_;
  bool was_filled_ = false;
};

}  // namespace einlass::http
