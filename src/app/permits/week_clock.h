// Which span of a limit's schedule holds at an instant, and how long.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "config/model/config.h"
#include "config/model/time_zone.h"
#include "units/time.h"

namespace einlass::app {

struct SpanNow {
  std::optional<std::size_t> index;  // In the schedule; none between two spans.
  Instant until = kNever;            // From then on it is another answer.
  bool operator==(const SpanNow&) const = default;
};

// By a clock that may go back. A span begins and ends when the clocks of its zone have come to its
// times, as config::TimeZone::at() says; so one that lies in what they leave out is not there that
// day, and those that adjoin still do. REQUIRES: a schedule that was read, and its zone.
SpanNow span_at(std::span<const config::ScheduledValue> schedule, const config::TimeZone& zone,
                Instant now);

}  // namespace einlass::app
