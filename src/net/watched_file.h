// Tells when a file has become another: replaced, written again, gone or back.
#pragma once

#include <optional>
#include <string>

#include "net/file_mark.h"

namespace einlass::net {

class WatchedFile {
 public:
  // An empty path never changes.
  explicit WatchedFile(std::string path);

  // True if it is not what it was when this was last asked, or made.
  bool changed();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<FileMark> seen_;
};

}  // namespace einlass::net
