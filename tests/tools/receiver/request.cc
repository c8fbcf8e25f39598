#include "tools/receiver/request.h"

#include <strings.h>

#include <charconv>

namespace einlass::tools {
namespace {

constexpr std::size_t kMaxHeadBytes = 128 * 1024;

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

template <typename Number>
void read_number(std::string_view text, Number& number) {
  std::from_chars(text.data(), text.data() + text.size(), number);
}

struct Length {
  std::size_t bytes = 0;
  bool chunked = false;
};

void take_header(std::string_view name, std::string_view value, Request& request, Length& length) {
  switch (name.size()) {
    case 6:
      if (same(name, "X-Gate")) request.gate = value;
      break;
    case 9:
      if (same(name, "Kafka-Key")) request.key = value;
      break;
    case 11:
      if (same(name, "Kafka-Topic")) request.topic = value;
      break;
    case 12:
      if (same(name, "Kafka-Offset")) read_number(value, request.offset);
      break;
    case 14:
      if (same(name, "Content-Length")) read_number(value, length.bytes);
      if (same(name, "Einlass-Permit")) request.permit = value;
      break;
    case 15:
      if (same(name, "Kafka-Partition")) read_number(value, request.partition);
      if (same(name, "Einlass-Attempt")) read_number(value, request.attempt);
      if (same(name, "Idempotency-Key")) request.idempotency_key = value;
      break;
    case 17:
      if (same(name, "Transfer-Encoding")) length.chunked = true;
      break;
    case 19:
      if (same(name, "Einlass-Admitted-At")) read_number(value, request.admitted_at);
      break;
    default:
      break;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool read_request_line(std::string_view line, Request& request) {
  const auto first = line.find(' ');
  const auto second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, second - first - 1);
  return line.substr(second + 1) == "HTTP/1.1";
}

}  // namespace

Parsed parse_request(std::string_view text, Request& request) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return text.size() > kMaxHeadBytes ? Parsed::broken : Parsed::incomplete;
  }
  request.head = text.substr(0, end);
  std::size_t at = request.head.find("\r\n");
  if (!read_request_line(request.head.substr(0, at), request)) return Parsed::broken;
  Length length;
  while (at != std::string_view::npos) {
    at += 2;
    const auto next = request.head.find("\r\n", at);
    const auto line = request.head.substr(at, next == std::string_view::npos ? next : next - at);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return Parsed::broken;
    take_header(line.substr(0, colon), trimmed(line.substr(colon + 1)), request, length);
    at = next;
  }
  if (length.chunked) return Parsed::broken;
  request.size = end + 4 + length.bytes;
  if (text.size() < request.size) return Parsed::incomplete;
  request.body = text.substr(end + 4, length.bytes);
  return Parsed::complete;
}

}  // namespace einlass::tools
