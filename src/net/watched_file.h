// Tells when a file has become another: replaced, written again, gone or back.
#pragma once

#include <sys/stat.h>

#include <string>

namespace einlass::net {

class WatchedFile {
 public:
  // An empty path never changes.
  explicit WatchedFile(std::string path);

  // True if it is not what it was when this was last asked, or made.
  bool changed();

  const std::string& path() const { return path_; }

 private:
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec written{};
    timespec changed{};  // Also by who may read it.
  };
  Stamp stamp() const;

  std::string path_;
  Stamp seen_;
};

}  // namespace einlass::net
