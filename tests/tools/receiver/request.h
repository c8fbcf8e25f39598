// One HTTP/1.1 request with a Content-Length, cut out of what a connection has read so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace einlass::tools {

// All views point into the text given to parse_request().
struct Request {
  std::string_view method, path, head, body;
  std::string_view topic, key, permit, gate, idempotency_key;
  std::int64_t partition = -1, offset = -1, admitted_at = 0;
  std::uint32_t attempt = 0;
  std::size_t size = 0;  // Head and body together.
};

enum class Parsed { complete, incomplete, broken };

Parsed parse_request(std::string_view text, Request& request);

}  // namespace einlass::tools
