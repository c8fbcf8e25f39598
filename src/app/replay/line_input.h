// The lines of a file or a pipe, one after the other, however long the whole is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace einlass::app {

class LineInput {
 public:
  enum class Result { line, end, too_long, failed, interrupted };

  // Lines of more than `most` bytes are too long. `before_read` is called before each read, which
  // may take until somebody writes, or until the descriptor `stop` becomes readable.
  LineInput(std::size_t most, int stop, std::function<void()> before_read)
      : most_(most), stop_(stop), before_read_(std::move(before_read)) {}
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // Opens a file, or stdin for "-". False, with the reason in errno, if that does not work.
  bool open(const std::string& path);

  // The next line, without its end; valid until the next call. `failed` leaves the reason in errno;
  // `interrupted` is that `stop` is readable.
  Result next(std::string_view& line);

 private:
  static constexpr std::size_t kReadBytes = 256 << 10;

  bool wait();

  std::size_t most_;
  int stop_;
  std::function<void()> before_read_;
  int file_ = -1;
  std::string bytes_;
  std::size_t at_ = 0;  // Where the next line begins in bytes_.
  bool ended_ = false;
};

}  // namespace einlass::app
