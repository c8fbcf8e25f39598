#include "config/model/time_zone.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "config/model/reading.h"
#include "config/text/suggest.h"
#include "text/ascii.h"
#include "units/check.h"

namespace einlass::config {
namespace {

const cctz::civil_day kDayZero(1970, 1, 1);

// Where the library looks.
std::string folder() {
  const char* named = std::getenv("TZDIR");
  return named != nullptr && *named != '\0' ? named : "/usr/share/zoneinfo";
}

// It takes paths as well, and `localtime`, which is another zone on each machine.
bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("+-_/").find(c) != std::string_view::npos;
  };
  return !name.starts_with('/') && std::ranges::all_of(name, fits) && name != "localtime";
}

// Those that the database lists for people to choose from.
std::set<std::string> listed_names() {
  std::set<std::string> names;
  std::ifstream file(folder() + "/zone1970.tab");
  for (std::string line; std::getline(file, line);) {
    std::string countries, coordinates, name;
    if (!line.starts_with('#') && std::istringstream(line) >> countries >> coordinates >> name) {
      names.insert(std::move(name));
    }
  }
  return names;
}

std::chrono::time_point<std::chrono::system_clock, cctz::seconds> seconds_of(Instant instant) {
  return std::chrono::floor<cctz::seconds>(
      std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>(
          std::chrono::microseconds(instant.us)));
}

}  // namespace

std::optional<std::string> refused_zone(const std::string& name) {
  cctz::time_zone zone;
  if (is_name(name) && cctz::load_time_zone(name, &zone)) return std::nullopt;
  if (!std::ifstream(folder() + "/Etc/UTC")) {
    return "this system has no time zones in " + folder() + "; install the package tzdata";
  }
  const std::set<std::string> listed = listed_names();
  const std::vector<std::string_view> known(listed.begin(), listed.end());
  return in_quotes(name) + " is no time zone that this system knows; " +
         suggestion(name, known).value_or("write one of the tz database, as Europe/Berlin");
}

TimeZone::TimeZone(const std::string& name) { CHECK(cctz::load_time_zone(name, &zone_)); }

std::int64_t TimeZone::day_at(Instant instant) const {
  return cctz::civil_day(zone_.lookup(seconds_of(instant)).cs) - kDayZero;
}

Instant TimeZone::at(std::int64_t day, int minutes) const {
  const cctz::civil_second shown = cctz::civil_second(kDayZero + day) + minutes * 60;
  const auto found = zone_.lookup(shown);
  const auto when = found.kind == cctz::time_zone::civil_lookup::SKIPPED ? found.trans : found.pre;
  return Instant{std::chrono::microseconds(when.time_since_epoch()).count()};
}

// 1970-01-01 was a Thursday.
int weekday_of(std::int64_t day) { return static_cast<int>(((day + 3) % 7 + 7) % 7); }

}  // namespace einlass::config
