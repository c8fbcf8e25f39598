// Tells when a file has changed, by looking at it again and again: also where it is a link that is
// turned to another file, as Kubernetes does with what a ConfigMap holds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace einlass::app {

// What is another as soon as somebody has written or replaced the file.
struct FileMark {
  std::uint64_t device = 0, file = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileMark&) const = default;
};

// None if the file is not there.
std::optional<FileMark> mark_of(const std::string& path);

// REQUIRES: used on the thread that runs `io`; outlived by it.
class FileWatch {
 public:
  static constexpr std::chrono::milliseconds kPeriod{2000};

  // `taken` is the file's mark from before it was read. `changed` is called when two looks in a row
  // have found the same file, which is another than before: one that is still being written is left
  // alone. It says whether it took the change; if not, it is called again. A file that is gone is
  // no change; another one in its place is.
  FileWatch(boost::asio::io_context& io, std::string path, const FileMark& taken,
            std::function<bool()> changed, std::chrono::milliseconds period = kPeriod);

 private:
  void wait();
  void compare();

  const std::string path_;
  const std::function<bool()> changed_;
  const std::chrono::milliseconds period_;
  boost::asio::steady_timer timer_;
  std::optional<FileMark> taken_, last_;
};

}  // namespace einlass::app
