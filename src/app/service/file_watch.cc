#include "app/service/file_watch.h"

#include <sys/stat.h>

#include <utility>

namespace einlass::app {

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileMark{.device = found.st_dev,
                  .file = found.st_ino,
                  .size = found.st_size,
                  .seconds = found.st_mtim.tv_sec,
                  .nanoseconds = found.st_mtim.tv_nsec};
}

FileWatch::FileWatch(boost::asio::io_context& io, std::string path, const FileMark& taken,
                     std::function<bool()> changed, std::chrono::milliseconds period)
    : path_(std::move(path)),
      changed_(std::move(changed)),
      period_(period),
      timer_(io),
      taken_(taken) {
  wait();
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
  const std::optional<FileMark> now = mark_of(path_);
  const bool rests = now == std::exchange(last_, now);
  if (!now || !rests || now == taken_) return;
  if (changed_()) taken_ = now;
}

}  // namespace einlass::app
