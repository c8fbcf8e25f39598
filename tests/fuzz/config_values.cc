// Any text as a value of the configuration: numbers, durations, sizes and rates are what exact
// arithmetic makes of them, and everything that is understood is written back to be understood as
// the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/model/address.h"
#include "config/tables/record_sources.h"
#include "config/text/values.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;
using namespace einlass::config;

using Wide = __int128;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr Wide kBeyond = Wide{1} << 90;  // Larger numbers than this stay at it.

constexpr std::pair<std::string_view, std::int64_t> kTimes[] = {
    {"us", 1},         {"ms", 1'000},        {"s", 1'000'000},
    {"m", 60'000'000}, {"h", 3'600'000'000}, {"d", 86'400'000'000}};
constexpr std::pair<std::string_view, std::int64_t> kSizes[] = {
    {"B", 1},      {"KiB", 1 << 10},  {"MiB", 1 << 20},     {"GiB", 1 << 30},
    {"kB", 1'000}, {"MB", 1'000'000}, {"GB", 1'000'000'000}};

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

Wide number_of(std::string_view digits) {
  Wide number = 0;
  for (const char digit : digits) number = std::min(kBeyond, number * 10 + (digit - '0'));
  return number;
}

// What the text says in the smallest unit; none where it says nothing or not a whole number.
template <std::size_t N>
std::optional<Wide> exact(std::string_view text,
                          const std::pair<std::string_view, std::int64_t> (&units)[N],
                          bool fractions) {
  const std::string_view whole = take_digits(text);
  if (whole.empty()) return std::nullopt;
  if (text.empty()) return number_of(whole) == 0 ? std::optional<Wide>(0) : std::nullopt;
  std::string_view part;
  if (fractions && text.front() == '.') {
    text.remove_prefix(1);
    part = take_digits(text);
    if (part.empty()) return std::nullopt;
  }
  while (part.ends_with('0')) part.remove_suffix(1);
  for (const auto& [name, factor] : units) {
    if (name != text) continue;
    Wide scale = 1;
    for (std::size_t i = 0; i < part.size(); ++i) scale = std::min(kBeyond, scale * 10);
    const Wide fraction = number_of(part) * factor;
    if (part.size() > 25 || fraction % scale != 0) return std::nullopt;
    return number_of(whole) * factor + fraction / scale;
  }
  return std::nullopt;
}

template <class T>
const T* value_of(const Parsed<T>& parsed) {
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) CHECK(!refusal->text.empty());
  return std::get_if<T>(&parsed);
}

void check_amounts(std::string_view text) {
  const auto duration_read = parse_duration(text, {{0}, {kMost - 1}});
  const Duration* duration = value_of(duration_read);
  const auto micros = exact(text, kTimes, true);
  CHECK((duration != nullptr) == (micros && *micros < kMost));
  if (duration) {
    CHECK(duration->us == *micros);
    CHECK(*value_of(parse_duration(to_text(*duration), {{0}, {kMost}})) == *duration);
  }
  const auto size_read = parse_size(text, {{0}, {kMost - 1}});
  const Bytes* size = value_of(size_read);
  const auto bytes = exact(text, kSizes, false);
  CHECK((size != nullptr) == (bytes && *bytes < kMost));
  if (size) {
    CHECK(size->value == *bytes);
    CHECK(*value_of(parse_size(to_text(*size), {{0}, {kMost}})) == *size);
  }
}

void check_rate(std::string_view text) {
  const auto read = parse_rate(text);
  const limits::Rate* rate = value_of(read);
  std::string_view period = text;
  const std::string_view permits = take_digits(period);
  const bool slash = !permits.empty() && period.starts_with('/');
  if (slash) period.remove_prefix(1);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool is_unit = !period.empty() && is_letter(period.front());  // "/s" stands for "/1s".
  const auto micros = exact((is_unit ? "1" : "") + std::string(period), kTimes, true);
  const bool right =
      slash && micros && *micros > 0 && *micros < kMost && number_of(permits) < kMost;
  CHECK((rate != nullptr) == right);
  if (!rate) return;
  CHECK(Wide{rate->permits} * *micros == number_of(permits) * rate->micros);
  const limits::Rate again = *value_of(parse_rate(to_text(*rate)));
  CHECK(again.permits == rate->permits && again.micros == rate->micros);
}

void check_address(std::string_view text) {
  for (const auto port : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(80)}) {
    const auto read = parse_host_port(text, port);
    const HostPort* address = value_of(read);
    if (!address) continue;
    CHECK(!address->host.empty() && address->port > 0);
    const auto again = parse_host_port(to_text(*address), std::nullopt);
    CHECK(value_of(again)->host == address->host && value_of(again)->port == address->port);
  }
}

void check_url(std::string_view text) {
  const auto url = split_url(text);
  if (!url) return;
  std::string joined = std::string(url->scheme) + "://";
  if (url->login) joined.append(*url->login).append("@");
  joined.append(url->address).append(url->path);
  if (url->query) joined.append("?").append(*url->query);
  if (url->fragment) joined.append("#").append(*url->fragment);
  CHECK(joined == text);
  CHECK(may_hold_secret(text) || (!url->login && !url->query));
  const std::string shown = without_secrets(text);
  CHECK(without_secrets(shown) == shown);
  CHECK(shown == text || (may_hold_secret(text) && shown.find("***") != shown.npos));
}

void check_percent(std::string_view text) {
  const bool has_mark = text.find('%') != text.npos;
  const auto bytes = any_percent_decoded(text);
  if (!bytes) return CHECK(has_mark && !percent_decoded(text));
  CHECK(has_mark || *bytes == text);
  static const char* const kHex = "0123456789abcdef";
  std::string encoded;
  for (const char c : *bytes) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  CHECK(any_percent_decoded(encoded) == bytes);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  CHECK(percent_decoded(text) == (std::ranges::any_of(*bytes, control) ? std::nullopt : bytes));
}

void check_sources(std::string_view text) {
  Scalar scalar;
  scalar.text = text;
  if (const auto key = parse_key(scalar); !refused(key)) {
    CHECK(to_text(std::get<KeySource>(key)) == text);
  }
  const auto cost = parse_cost(scalar);
  if (refused(cost)) return;
  const auto& [source, number] = std::get<Cost>(cost);
  CHECK(to_text(source, {number}) == text && number >= 1 && number <= kMostCost);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto whole = parse_whole(text, {0, kMost - 1});
  if (const auto* number = value_of(whole)) CHECK(std::to_string(*number) == text);
  check_amounts(text);
  check_rate(text);
  check_address(text);
  check_url(text);
  check_percent(text);
  check_sources(text);
  return 0;
}
