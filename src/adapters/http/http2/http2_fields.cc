#include "adapters/http/http2/http2_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/ascii.h"

namespace einlass::http {
namespace {

// RFC 9113, 8.2.2: a request with one of these is malformed.
bool is_of_one_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "te", "upgrade", "connection", "keep-alive", "proxy-connection", "transfer-encoding"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view one) { return same_name(name, one); });
}

// In HTTP/2 a value with a space at either end is malformed.
std::string_view trimmed(std::string_view value) {
  const std::size_t begin = value.find_first_not_of(" \t");
  if (begin == value.npos) return {};
  return value.substr(begin, value.find_last_not_of(" \t") - begin + 1);
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

void put_fields(const RequestBytes::Fields& request, std::string_view scheme,
                std::vector<nghttp2_nv>& fields) {
  fields.clear();
  fields.push_back(field(":method", request.method));
  fields.push_back(field(":scheme", scheme));
  fields.push_back(field(":authority", request.host));
  fields.push_back(field(":path", request.path));
  for (const RequestHeader& header : request.headers) {
    if (is_of_one_connection(header.name)) continue;
    fields.push_back(field(header.name, trimmed(header.value)));
  }
}

}  // namespace einlass::http
