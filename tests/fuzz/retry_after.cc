// Whatever a server writes into Retry-After and Date: the wait stays within its bounds, and a date
// means the second that another reading of the calendar gives it.
#include "adapters/http/client/retry_after.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;

constexpr std::int64_t kYear = 31'556'952;

std::string written(const char* format, std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  CHECK(gmtime_r(&time, &parts) != nullptr);
  char text[64];
  std::string result(text, std::strftime(text, sizeof text, format, &parts));
  if (const std::size_t at = result.find("YYYY"); at != result.npos) {  // %Y knows no zeros.
    std::snprintf(text, sizeof text, "%04d", parts.tm_year + 1900);
    result.replace(at, 4, text);
  }
  return result;
}

// A date that was understood is the one of that second, but for the name of the day, which nobody
// checks, and for a leap second, which is the next minute's first.
void check_date(std::string_view text, std::int64_t now) {
  const auto date = http::parse_http_date(text, now);
  if (!date || text.find(":60") != text.npos) return;
  const auto same = [&](const char* format) {
    const std::string expected = written(format, *date);
    const std::size_t name = std::min(text.find(' '), text.size());
    return text.substr(name) == expected.substr(std::min(expected.find(' '), expected.size()));
  };
  CHECK(same("%a, %d %b YYYY %H:%M:%S GMT") || same("%a, %d-%b-%y %H:%M:%S GMT") ||
        same("%a %b %e %H:%M:%S YYYY") || same("%a %b %d %H:%M:%S YYYY"));
}

// What is written in each of the three forms is read back.
void check_round_trip(std::int64_t second, std::int64_t now) {
  CHECK(http::parse_http_date(written("%a, %d %b YYYY %H:%M:%S GMT", second), now) == second);
  CHECK(http::parse_http_date(written("%a %b %e %H:%M:%S YYYY", second), now) == second);
  const auto short_year = http::parse_http_date(written("%A, %d-%b-%y %H:%M:%S GMT", second), now);
  if (second > now - 49 * kYear && second < now + 49 * kYear) CHECK(short_year == second);
}

}  // namespace

// Two bytes say what year it is for us and what second to write; then a line for each header.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Source source(data, size);
  const std::int64_t now = source.byte() * kYear / 2 + 1;
  check_round_trip(source.number(0, 250 * kYear), now);
  std::string_view text = source.rest();
  const std::string_view value = fuzz::take_line(text);
  const std::string_view date = fuzz::take_line(text);
  const auto wait = http::parse_retry_after(value, date, {now * 1'000'000});
  if (wait) CHECK(*wait >= Duration{} && *wait <= http::kMaxRetryAfter);
  check_date(value, now);
  check_date(date, now);
  return 0;
}
