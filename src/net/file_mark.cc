#include "net/file_mark.h"

#include <sys/stat.h>

namespace einlass::net {

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileMark{.device = found.st_dev,
                  .file = found.st_ino,
                  .size = found.st_size,
                  .written = found.st_mtim.tv_sec,
                  .written_ns = found.st_mtim.tv_nsec,
                  .changed = found.st_ctim.tv_sec,
                  .changed_ns = found.st_ctim.tv_nsec};
}

}  // namespace einlass::net
