// routes[].filter: what a record must have to be delivered; and where it says when.
#include <algorithm>
#include <array>
#include <string_view>

#include "config/tables/tables.h"

namespace einlass::config {
namespace {

constexpr std::size_t kMostConditions = 100;  // Of a route: each is looked at for each record.
constexpr std::size_t kMostValues = 1'000;    // Of a condition.

Parsed<KeySource> parse_field(const Scalar& scalar) {
  if (scalar.text == "none") return Refusal{"is no field; write header:NAME or json:/field"};
  return parse_key(scalar);
}

template <std::vector<std::string> Condition::*kMember>
std::string take_value(Section&, const Scalar& item, Condition& condition) {
  std::vector<std::string>& values = condition.*kMember;
  if (std::ranges::find(values, item.text) != values.end()) {
    return "is written twice; keep one of them";
  }
  values.push_back(item.text);
  return "";
}

template <std::vector<std::string> Condition::*kMember>
Field<Condition> values() {
  Field<Condition> field = list("list of values", kMember, kMostValues, take_value<kMember>,
                                "no value; write at least one");
  field.print = [](PrintedPage& page, const Condition& from) {
    if (!(from.*kMember).empty()) page.list(from.*kMember);  // It is not the test otherwise.
  };
  return field;
}

Field<Condition> equals() {
  Field<Condition> field = text(&Condition::equals);
  field.print = [](PrintedPage& page, const Condition& from) {
    const bool is_test = from.in.empty() && from.not_in.empty() && !from.exists;
    if (is_test) page.free_text("equals", from.equals);  // Also where that is nothing.
  };
  return field;
}

Field<Condition> exists() {
  const auto show = [](std::optional<bool> is) {
    return std::string(!is ? "" : *is ? "true" : "false");
  };
  return value(
      Kind::truth, "true or false", &Condition::exists,
      [](const Scalar& s) { return as<std::optional<bool>>(parse_boolean(s.text)); }, show);
}

const Rows<Condition> kCondition = all_live<Condition>({
    {"by", key(&Condition::by, parse_field).required("header:NAME"),
     "The field: `header:NAME`, `json:/field`, `record_key`, `topic` or `partition`, as text, as a "
     "limit's key is."},
    {"equals", equals(), "The field is this."},
    {"in", values<&Condition::in>(), "The field is one of these."},
    {"not_in", values<&Condition::not_in>(), "The field is none of these, or not there."},
    {"exists", exists(), "The field is there (`true`), or is not (`false`)."},
});

void check_condition(Section& section, Condition&) {
  constexpr std::array<std::string_view, 4> kTests = {"equals", "in", "not_in", "exists"};
  const auto written = std::ranges::count_if(kTests, [&](auto test) { return section.has(test); });
  if (written == 1 || !section.sound({"by", "equals", "in", "not_in", "exists"})) return;
  section.wrong("by", written == 0
                          ? "says where to look and not what for; write one of equals, in, not_in "
                            "or exists"
                          : "is tested in several ways; write one of equals, in, not_in or exists, "
                            "and another condition for each other one");
}

}  // namespace

Field<Route> route_filter() {
  return list_of("list of conditions", &Route::filter, kMostConditions, kCondition, check_condition,
                 "no condition; write at least one, or leave filter out");
}

Field<Route> route_time(std::optional<KeySource> Route::*member) {
  return value(
      Kind::text, "field", member,
      [](const Scalar& s) { return as<std::optional<KeySource>>(parse_record_field(s)); },
      [](const std::optional<KeySource>& field) { return field ? to_text(*field) : ""; });
}

void check_times(Section& section) {
  if (section.has("dead_letter")) return;
  for (const char* option : {"not_before", "expires"}) {
    if (!section.has(option)) continue;
    section.wrong(option,
                  "makes dead letters, of records that come too late or whose time cannot be read; "
                  "write dead_letter: TOPIC");
  }
}

}  // namespace einlass::config
