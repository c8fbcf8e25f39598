// What one non-blocking read or write came to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace einlass::http {

enum class IoState : std::uint8_t {
  done,        // `bytes` were moved, at least one.
  wait_read,   // Nothing now: again when the socket is readable.
  wait_write,  // Nothing now: again when the socket is writable.
  closed,      // The peer will send no more.
  failed,      // The stream is broken; Stream::reason() says why.
};

struct IoResult {
  IoState state = IoState::failed;
  std::size_t bytes = 0;
};

}  // namespace einlass::http
