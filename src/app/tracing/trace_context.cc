#include "app/tracing/trace_context.h"

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"

namespace einlass::app {
namespace {

constexpr std::size_t kVersion = 2, kTrace = 32, kParent = 16, kFlags = 2;
constexpr std::size_t kLength = kVersion + 1 + kTrace + 1 + kParent + 1 + kFlags;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != text.npos;
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  if (text.size() < kLength) return std::nullopt;
  const std::string_view version = text.substr(0, kVersion);
  const std::string_view trace = text.substr(kVersion + 1, kTrace);
  const std::string_view parent = text.substr(kVersion + kTrace + 2, kParent);
  const std::string_view flags = text.substr(kLength - kFlags, kFlags);
  const bool dashed = text[kVersion] == '-' && text[kVersion + kTrace + 1] == '-' &&
                      text[kLength - kFlags - 1] == '-';
  if (!dashed || !is_hex(version) || version == "ff" || !is_hex(flags)) return std::nullopt;
  // Only a later version may go on, and then behind one more dash.
  if (text.size() > kLength && (version == "00" || text[kLength] != '-')) return std::nullopt;
  if (!is_id(trace) || !is_id(parent)) return std::nullopt;
  const char last = flags.back();
  const int low = last <= '9' ? last - '0' : last - 'a' + 10;
  return TraceContext{std::string(trace), std::string(parent), (low & 1) != 0};
}

std::optional<TraceContext> trace_context_of(const StoredRecord& record) {
  for (std::size_t i = 0; i < record.header_count(); ++i) {
    const kafka::Header header = record.header(i);
    if (!same_name(header.name, "traceparent")) continue;
    return header.value ? parse_traceparent(*header.value) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace einlass::app
