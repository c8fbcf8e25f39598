// Retry-After (RFC 9110, 10.2.3): how long a server wants to be left alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "units/time.h"

namespace einlass::http {

// No server may hold a target back for longer at a time.
inline constexpr Duration kMaxRetryAfter = Duration::seconds(3600);

// Seconds since 1970 of an HTTP-date in any of its three formats (IMF-fixdate, RFC 850, asctime).
// `now`, in the same seconds, says which century the two-digit year of RFC 850 means.
// None if it is not a date.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now);

// The wait that `value` asks for: seconds, or a date. A date counts from `date`, the same answer's
// Date header, so that the clocks need not agree; where that is empty or no date, from `wall_now`.
// Zero for the past, at most kMaxRetryAfter; none if `value` makes no sense.
std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date,
                                          Instant wall_now);

}  // namespace einlass::http
