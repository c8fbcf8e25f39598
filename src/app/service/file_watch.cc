#include "app/service/file_watch.h"

#include <utility>

namespace einlass::app {

FileWatch::FileWatch(boost::asio::io_context& io, std::string path, const net::FileMark& taken,
                     std::function<void()> changed, std::chrono::milliseconds period)
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
  const std::optional<net::FileMark> now = net::mark_of(path_);
  const bool rests = now == std::exchange(last_, now);
  if (!now || !rests || now == taken_) return;
  taken_ = now;
  changed_();
}

}  // namespace einlass::app
