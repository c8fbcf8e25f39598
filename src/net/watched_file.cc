#include "net/watched_file.h"

#include <utility>

namespace einlass::net {

WatchedFile::WatchedFile(std::string path) : path_{std::move(path)}, seen_{stamp()} {}

WatchedFile::Stamp WatchedFile::stamp() const {
  struct stat found {};
  if (path_.empty() || ::stat(path_.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, found.st_size, found.st_mtim, found.st_ctim};
}

bool WatchedFile::changed() {
  if (path_.empty()) return false;
  const Stamp now = stamp();
  const auto at_once = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  const bool same = now.device == seen_.device && now.inode == seen_.inode &&
                    now.size == seen_.size && at_once(now.written, seen_.written) &&
                    at_once(now.changed, seen_.changed);
  seen_ = now;
  return !same;
}

}  // namespace einlass::net
