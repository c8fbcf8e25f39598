// Where lines leave: a descriptor that is never waited for.
#pragma once

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <cstddef>

#include "adapters/log/format.h"

namespace einlass::log {

// The longest line. A pipe takes so much at once or not at all, and does not mix it with others'.
inline constexpr std::size_t kLineBytes = 4096;

// REQUIRES: one thread at a time.
class Sink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit Sink(int descriptor);

  // From here on lines are in that format; each message is what follows the level of such a line.
  void write_as(Format format);

  // True if a line would go out without waiting.
  bool ready() const;

  // How many lines were lost since the last call.
  std::size_t take_dropped();
  // That so many were lost could not be told: they are lost yet.
  void give_back_dropped(std::size_t lines) { dropped_ += lines; }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

  int descriptor_;
  std::size_t dropped_ = 0;
};

}  // namespace einlass::log
