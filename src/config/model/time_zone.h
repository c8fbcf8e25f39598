// A time zone of the system's tz database (tzdata): what the clocks there show, and when.
#pragma once

#include <cctz/time_zone.h>

#include <cstdint>
#include <optional>
#include <string>

#include "units/time.h"

namespace einlass::config {

// Why there is none of that name, as a sentence; none if there is one. What was read once is kept
// for as long as the process lives.
std::optional<std::string> refused_zone(const std::string& name);

class TimeZone {
 public:
  // REQUIRES: not refused.
  explicit TimeZone(const std::string& name);

  // The date there, as days since 1970-01-01.
  std::int64_t day_at(Instant instant) const;

  // When the clocks there have come to so many minutes after the beginning of that day. Where they
  // are put forward over that time, when they are; where they show it twice, for the first time. So
  // what is later on the clocks is never earlier.
  Instant at(std::int64_t day, int minutes) const;

 private:
  cctz::time_zone zone_;
};

// 0 is Monday.
int weekday_of(std::int64_t day);

}  // namespace einlass::config
