#include "app/service/file_watch.h"

#include <sys/stat.h>

#include <utility>

namespace einlass::app {

FileWatch::FileWatch(boost::asio::io_context& io, std::string path, std::function<bool()> changed,
                     std::chrono::milliseconds period)
    : path_(std::move(path)), changed_(std::move(changed)), period_(period), timer_(io) {
  taken_ = last_ = look();
  wait();
}

std::optional<FileWatch::Mark> FileWatch::look() const {
  struct stat found {};
  if (stat(path_.c_str(), &found) != 0) return std::nullopt;
  return Mark{.device = found.st_dev,
              .file = found.st_ino,
              .size = found.st_size,
              .seconds = found.st_mtim.tv_sec,
              .nanoseconds = found.st_mtim.tv_nsec};
}

void FileWatch::wait() {
  timer_.expires_after(period_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    compare();
    wait();
  });
}

void FileWatch::compare() {
  const std::optional<Mark> now = look();
  const bool rests = now == std::exchange(last_, now);
  if (!now || !rests || now == taken_) return;
  if (changed_()) taken_ = now;
}

}  // namespace einlass::app
