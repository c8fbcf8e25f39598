#include "adapters/http/http2/http2_fields.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "units/text.h"

namespace einlass::http {
namespace {

constexpr std::string_view kVersion = " HTTP/1.1";
constexpr std::size_t kAuthority = 2;  // Its place among the fields.

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

nghttp2_nv field(std::string_view name, std::string_view value, std::uint8_t flags) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), flags};
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end - 1);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::size_t take_apart(std::string_view request, std::string_view scheme,
                       std::vector<nghttp2_nv>& fields) {
  std::string_view rest = request;
  const std::string_view first = take_line(rest);
  const std::size_t space = first.find(' ');
  const std::string_view path = first.substr(space + 1, first.size() - space - 1 - kVersion.size());
  fields.clear();
  fields.push_back(field(":method", first.substr(0, space), NGHTTP2_NV_FLAG_NONE));
  fields.push_back(field(":scheme", scheme, NGHTTP2_NV_FLAG_NONE));
  fields.push_back({});
  fields.push_back(field(":path", path, NGHTTP2_NV_FLAG_NONE));
  for (;;) {
    const std::string_view line = take_line(rest);
    if (line.empty()) return request.size() - rest.size();
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (same_name(name, "host")) {
      fields[kAuthority] = field(":authority", value, NGHTTP2_NV_FLAG_NONE);
    } else if (!is_of_one_connection(name)) {
      fields.push_back(field(name, value, NGHTTP2_NV_FLAG_NONE));
    }
  }
}

}  // namespace einlass::http
