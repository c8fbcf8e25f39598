#include "text/timestamp.h"

#include <chrono>

#include "text/pieces.h"

namespace einlass {
namespace {

// Of a second; what is finer is left out.
std::int64_t micros(std::string_view digits) {
  std::int64_t us = 0;
  for (std::size_t i = 0; i < 6; ++i) us = us * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return us;
}

struct TimeOfDay {
  std::int64_t hours = 0, minutes = 0, seconds = 0, fraction = 0;
  std::int64_t zone_hours = 0, zone_minutes = 0;
  std::optional<std::int64_t> ahead;  // In minutes, of UTC; none where no zone is written.

  bool sound() const {
    return hours <= 23 && minutes <= 59 && seconds <= 60 && zone_hours <= 23 && zone_minutes <= 59;
  }
};

// What stands behind the sign.
void read_zone(Pieces& pieces, TimeOfDay& time) {
  time.zone_hours = pieces.number(2);
  if (pieces.done()) return;
  if (pieces.next_is(":")) pieces.letter(":");
  time.zone_minutes = pieces.number(2);
}

TimeOfDay time_of_day(Pieces& pieces) {
  TimeOfDay time;
  pieces.letter("Tt ");
  time.hours = pieces.number(2);
  pieces.letter(":");
  time.minutes = pieces.number(2);
  if (pieces.next_is(":")) {
    pieces.letter(":");
    time.seconds = pieces.number(2);
    if (pieces.next_is(".,")) {
      pieces.letter(".,");
      time.fraction = micros(pieces.digits());
    }
  }
  if (pieces.next_is("Zz")) {
    pieces.letter("Zz");
    time.ahead = 0;
  } else if (pieces.next_is("+-")) {
    const std::int64_t sign = pieces.letter("+-") == '+' ? 1 : -1;
    read_zone(pieces, time);
    time.ahead = sign * (time.zone_hours * 60 + time.zone_minutes);
  }
  return time;
}

}  // namespace

std::optional<Instant> parse_timestamp(std::string_view text, NoZone no_zone) {
  using namespace std::chrono;
  Pieces pieces(text);
  const auto y = static_cast<int>(pieces.number(4));
  pieces.letter("-");
  const auto m = static_cast<unsigned>(pieces.number(2));
  pieces.letter("-");
  const auto d = static_cast<unsigned>(pieces.number(2));
  const year_month_day date{year{y}, month{m}, day{d}};
  const TimeOfDay time = pieces.next_is("Tt ") ? time_of_day(pieces) : TimeOfDay{};
  if (!pieces.done() || !date.ok() || !time.sound()) return std::nullopt;
  if (!time.ahead && no_zone == NoZone::refused) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + time.hours) * 60 + time.minutes;
  const std::int64_t second = (minutes - time.ahead.value_or(0)) * 60 + time.seconds;
  if (second < 0) return std::nullopt;
  return Instant{second * 1'000'000 + time.fraction};
}

}  // namespace einlass
