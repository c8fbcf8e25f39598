#include "app/record/record_times.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "app/record/extract.h"
#include "app/record/same_number.h"
#include "config/tables/record_sources.h"
#include "text/ascii.h"
#include "text/timestamp.h"

namespace einlass::app {
namespace {

using Kind = config::KeySource::Kind;

// Since 1973 milliseconds have 12 digits, and seconds will not before the year 5138.
constexpr std::size_t kFewestDigits = 12;
constexpr std::size_t kMostDigits = 15;

bool has_header(const StoredRecord& record, std::string_view name) {
  for (std::size_t i = 0; i < record.header_count(); ++i) {
    if (same_name(record.header(i).name, name) && record.header(i).value) return true;
  }
  return false;
}

std::optional<Instant> time_in_header(const StoredRecord& record, std::string_view name) {
  const auto text = header_value(record, name);
  return text ? instant_of(*text) : std::nullopt;
}

std::optional<Instant> time_in_json(const JsonScalar& found) {
  if (found.kind == JsonScalar::Kind::truth) return std::nullopt;
  const bool plain = found.kind == JsonScalar::Kind::text;
  return instant_of(plain ? std::string(found.text) : same_number(found.text));
}

// Into `to`, if the record has it; what is wrong with it into `bad`.
void read_time(const char* option, const std::optional<config::KeySource>& field,
               const StoredRecord& record, Instant& to, std::string& bad) {
  if (!field) return;
  const bool header = field->kind == Kind::header;
  const JsonScalar found = header ? JsonScalar{} : record.json(field->name);
  const bool there =
      header ? has_header(record, field->name) : found.kind != JsonScalar::Kind::none;
  if (!there) return;
  const auto at = header ? time_in_header(record, field->name) : time_in_json(found);
  if (at) {
    to = *at;
  } else if (bad.empty()) {
    bad = std::string(option) + ": no time at " + config::to_text(*field);
  }
}

}  // namespace

std::optional<Instant> instant_of(std::string_view text) {
  if (!std::ranges::all_of(text, is_digit)) return parse_timestamp(text, NoZone::refused);
  if (text.size() < kFewestDigits || text.size() > kMostDigits) return std::nullopt;
  std::int64_t ms = 0;
  std::from_chars(text.data(), text.data() + text.size(), ms);
  return Instant{ms * 1000};
}

TimeFields::TimeFields(const config::Config& config) {
  for (const config::Route& route : config.routes) {
    by_route_.push_back({route.not_before, route.expires});
  }
}

RecordTimes TimeFields::read(core::RouteId route, const StoredRecord& record) const {
  const Fields& fields = by_route_[route.value];
  RecordTimes times;
  read_time("not_before", fields.not_before, record, times.not_before, times.bad);
  read_time("expires", fields.expires, record, times.expires, times.bad);
  return times;
}

}  // namespace einlass::app
