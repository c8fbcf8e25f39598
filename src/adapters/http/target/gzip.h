// Bodies as gzip has them (RFC 1952).
#pragma once

#include <zlib.h>

#include <cstddef>
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
  // REQUIRES: done().
  std::string_view compress(std::string_view body) {
    begin(body);
    go_on(body.size());
    return made();
  }

  // The same step by step: `body` lives until it is done.
  void begin(std::string_view body);

  // Takes at most so many of its bytes, and says how many. REQUIRES: most > 0.
  std::size_t go_on(std::size_t most);

  // Whether nothing is left to do, as at the beginning.
  bool done() const { return left_.empty(); }

  // As compress() has it. REQUIRES: done().
  std::string_view made() const { return made_; }

 private:
  // Of so small a body the frame takes more than is saved.
  static constexpr std::size_t kLeast = 128;

  // Not kept for the next body, as one so large is seldom.
  static constexpr std::size_t kKept = 256 * 1024;

  z_stream stream_{};
  std::vector<unsigned char> out_;
  std::string_view left_, made_;
};

}  // namespace einlass::http
