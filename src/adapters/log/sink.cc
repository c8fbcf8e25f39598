#include "adapters/log/sink.h"

#include <poll.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace einlass::log {

Sink::Sink(int descriptor) : descriptor_{descriptor} { write_as(Format::logfmt); }

void Sink::write_as(Format format) {
  // The time is an argument of each message; %z would add the machine's zone, so Z stands here.
  const char* const pattern = format == Format::json
                                  ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l"%v})"
                                  : "%Y-%m-%dT%H:%M:%S.%eZ level=%l%v";
  set_formatter_(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
}

// The descriptor is shared with other processes, so it is asked first and not made non-blocking:
// a pipe that polls as writable takes kLineBytes at once.
bool Sink::ready() const {
  pollfd poll_for{descriptor_, POLLOUT, 0};
  return poll(&poll_for, 1, 0) == 1 && (poll_for.revents & POLLOUT) != 0;
}

std::size_t Sink::take_dropped() { return std::exchange(dropped_, 0); }

void Sink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  const bool sent =
      ready() && write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!sent) ++dropped_;
}

}  // namespace einlass::log
