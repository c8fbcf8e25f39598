// The body of an answer whose end is not known when it begins: what a page is sent while it is
// open.
#pragma once

#include <functional>
#include <string_view>

namespace einlass::http {

// Shared by whoever writes it and the answer. REQUIRES: used on the server's thread.
class OpenBody {
 public:
  // Sends more of it. False if nobody reads it: it has not been answered with, the client is gone,
  // or it read so slowly that it was dropped. Never blocks.
  bool write(std::string_view bytes) { return to_ && to_(bytes); }

  // That was all: the connection ends once it is read. Does nothing if nobody reads it.
  void end() {
    if (end_) end_();
  }

 private:
  friend class ServerSession;
  std::function<bool(std::string_view)> to_;
  std::function<void()> end_;
};

}  // namespace einlass::http
