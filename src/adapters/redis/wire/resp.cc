#include "adapters/redis/wire/resp.h"

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

void append_command(std::string& out, std::span<const std::string_view> words) {
  append_array(out, words.size());
  for (const std::string_view word : words) append_bulk(out, word);
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

std::string eight_bytes(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

std::string shared_key(const std::string& bucket_key) { return bucket_key + "shared"; }

std::size_t count_of_flows(const limits::ShareDemand& of_flows) {
  return 7 + 4 * of_flows.of->rest.size() + 5 * of_flows.of->flows.size();
}

void append_flows(std::string& out, std::size_t shared, const limits::ShareDemand& of_flows) {
  append_number(out, static_cast<std::int64_t>(shared));
  append_bulk(out, eight_bytes(of_flows.gate.value));
  append_number(out, of_flows.of->levels);
  append_number(out, of_flows.of->keep);
  append_number(out, of_flows.idle_after.us);
  append_number(out, of_flows.of->epoch);
  append_number(out, of_flows.of->wish);
  for (std::size_t i = 0; i < of_flows.of->rest.size(); ++i) {
    append_number(out, of_flows.of->time[i]);
    append_number(out, of_flows.of->rest[i].weights);
    append_number(out, of_flows.of->rest[i].served);
    append_number(out, of_flows.of->rest[i].wanted);
  }
  for (const AskingFlow& flow : of_flows.of->flows) {
    append_bulk(out, eight_bytes(flow.id.value));
    append_number(out, flow.level);
    append_number(out, flow.weight);
    append_number(out, flow.records);
    if (flow.served) {
      append_number(out, *flow.served);
    } else {
      append_bulk(out, "");
    }
  }
}

}  // namespace einlass::redis
