#include "app/record/filters.h"

#include <algorithm>
#include <functional>

#include "app/record/extract.h"
#include "app/record/same_number.h"
#include "config/options/route_ways.h"

namespace einlass::app {
namespace {

// A field of a value that is JSON may be that number, which key_of() has in one form only, or the
// text as it stands here.
void add_numbers(std::vector<std::string>& values) {
  for (std::size_t i = 0, count = values.size(); i < count; ++i) {
    if (is_number(values[i])) values.push_back(same_number(values[i]));
  }
}

void prepare(config::Condition& condition) {
  if (condition.by.kind == config::KeySource::Kind::json) {
    add_numbers(condition.in);
    add_numbers(condition.not_in);
    if (is_number(condition.equals))
      condition.in = {condition.equals, same_number(condition.equals)};
  }
  std::ranges::sort(condition.in);
  std::ranges::sort(condition.not_in);
}

}  // namespace

Filters::Filters(const config::Config& config) {
  for (const config::Route& route : config.routes) {
    Filter& filter = by_route_.emplace_back();
    filter.conditions = route.filter;
    for (config::Condition& condition : filter.conditions) prepare(condition);
    if (const auto next = config::else_of(config, route)) {
      filter.otherwise = core::RouteId{static_cast<std::uint16_t>(*next)};
    }
  }
}

bool Filters::lets_pass(core::RouteId route, const StoredRecord& record) {
  return std::ranges::all_of(
      by_route_[route.value].conditions,
      [&](const config::Condition& condition) { return meets(condition, record); });
}

bool Filters::meets(const config::Condition& condition, const StoredRecord& record) {
  const auto value = key_of(condition.by, record, scratch_);
  const auto is_one_of = [&](const std::vector<std::string>& values) {
    return value && std::ranges::binary_search(values, *value, std::less<>());
  };
  if (condition.exists) return value.has_value() == *condition.exists;
  if (!condition.in.empty()) return is_one_of(condition.in);
  if (!condition.not_in.empty()) return !is_one_of(condition.not_in);
  return value == condition.equals;
}

}  // namespace einlass::app
