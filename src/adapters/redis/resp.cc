#include "adapters/redis/resp.h"

#include <charconv>

namespace einlass::redis {
namespace {

// A type byte, a number and the end of the line: "*3\r\n".
void append_header(std::string& out, char type, std::size_t number) {
  char text[24];
  text[0] = type;
  char* end = std::to_chars(text + 1, text + sizeof text - 2, number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(text, end);
}

}  // namespace

void append_array(std::string& out, std::size_t elements) { append_header(out, '*', elements); }

void append_bulk(std::string& out, std::string_view bytes) {
  append_header(out, '$', bytes.size());
  out.append(bytes);
  out.append("\r\n", 2);
}

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  append_bulk(out, {digits, static_cast<std::size_t>(end - digits)});
}

void append_list(std::string& out, std::span<const Permits> costs) {
  std::string list;
  for (const Permits cost : costs) {
    if (!list.empty()) list.push_back(',');
    list.append(std::to_string(cost.value));
  }
  append_bulk(out, list);
}

}  // namespace einlass::redis
