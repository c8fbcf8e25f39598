#include "app/replay/line_input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace einlass::app {

LineInput::~LineInput() {
  if (file_ > STDIN_FILENO) close(file_);
}

bool LineInput::open(const std::string& path) {
  file_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return file_ >= 0;
}

LineInput::Result LineInput::next(std::string_view& line) {
  std::size_t looked = at_;
  for (;;) {
    const std::size_t end = bytes_.find('\n', looked);
    const std::size_t size = (end == std::string::npos ? bytes_.size() : end) - at_;
    if (size > most_) return Result::too_long;
    if (end != std::string::npos || (ended_ && size > 0)) {
      line = std::string_view(bytes_).substr(at_, size);
      at_ += size + (end == std::string::npos ? 0 : 1);
      return Result::line;
    }
    if (ended_) return Result::end;
    before_read_();
    if (!wait()) return Result::interrupted;
    bytes_.erase(0, at_);
    at_ = 0;
    looked = bytes_.size();
    bytes_.resize(looked + kReadBytes);
    const ssize_t got = read(file_, bytes_.data() + looked, kReadBytes);
    bytes_.resize(looked + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) return Result::failed;
    ended_ = got == 0;
  }
}

// False if it is to stop. A file is readable at once.
bool LineInput::wait() {
  pollfd both[] = {{stop_, POLLIN, 0}, {file_, POLLIN, 0}};
  poll(both, 2, -1);
  return both[0].revents == 0;
}

}  // namespace einlass::app
