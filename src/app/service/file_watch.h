// Tells when a file has changed, by looking at it again and again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "net/file_mark.h"

namespace einlass::app {

// REQUIRES: used on the thread that runs `io`; outlived by it.
class FileWatch {
 public:
  static constexpr std::chrono::milliseconds kPeriod{2000};

  // `taken` is the file's mark from before it was read. `changed` is called when two looks in a row
  // have found the same file, which is another than before: one that is still being written is left
  // alone. A file that is gone is no change; another one in its place is.
  FileWatch(boost::asio::io_context& io, std::string path, const net::FileMark& taken,
            std::function<void()> changed, std::chrono::milliseconds period = kPeriod);

 private:
  void wait();
  void compare();

  const std::string path_;
  const std::function<void()> changed_;
  const std::chrono::milliseconds period_;
  boost::asio::steady_timer timer_;
  std::optional<net::FileMark> taken_, last_;
};

}  // namespace einlass::app
