// Bodies as gzip has them (RFC 1952).
#pragma once

#include <zlib.h>

#include <string_view>
#include <vector>

namespace einlass::http {

// REQUIRES: used by one thread.
class Gzip {
 public:
  // Throws std::bad_alloc.
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  // Empty where it would not be shorter. Lives until the next call.
  std::string_view compress(std::string_view body);

 private:
  // Of so small a body the frame takes more than is saved.
  static constexpr std::size_t kLeast = 128;

  // Not kept for the next body, as one so large is seldom.
  static constexpr std::size_t kKept = 256 * 1024;

  z_stream stream_{};
  std::vector<unsigned char> out_;
};

}  // namespace einlass::http
