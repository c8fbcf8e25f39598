#include "net/watched_file.h"

#include <utility>

namespace einlass::net {

WatchedFile::WatchedFile(std::string path) : path_{std::move(path)}, seen_{mark_of(path_)} {}

bool WatchedFile::changed() {
  if (path_.empty()) return false;
  const std::optional<FileMark> now = mark_of(path_);
  return std::exchange(seen_, now) != now;
}

}  // namespace einlass::net
