#include "app/json/json_needs.h"

#include <algorithm>
#include <cstddef>

#include "config/options/route_ways.h"

namespace einlass::app {
namespace {

void add(JsonNeeds& needs, const std::string& pointer) {
  JsonPointer added(pointer);
  const auto end = needs.pointers.end();
  if (std::find(needs.pointers.begin(), end, added) == end) needs.pointers.push_back(added);
}

void add(JsonNeeds& needs, const config::KeySource& key) {
  if (key.kind == config::KeySource::Kind::json) add(needs, key.name);
}

void add(JsonNeeds& needs, const config::Limit& limit) {
  add(needs, limit.key);
  if (limit.cost.kind == config::CostSource::Kind::json) add(needs, limit.cost.name);
}

void add(JsonNeeds& needs, const config::Template& text) {
  for (const config::TemplatePiece& piece : text) {
    if (piece.kind == config::TemplatePiece::Kind::json) add(needs, piece.text);
  }
}

void add(JsonNeeds& needs, const config::HttpTarget& http) {
  add(needs, http.host_template);
  add(needs, http.path_template);
  add(needs, http.method_template);
  for (const auto& [name, value] : http.header_templates) add(needs, value);
  needs.in_lists |= http.batch && http.batch->format == config::BatchFormat::json;
}

std::vector<JsonNeeds> needs_of_each(const config::Config& config) {
  std::vector<JsonNeeds> all;
  for (const config::Route& route : config.routes) {
    JsonNeeds& needs = all.emplace_back();
    needs.largest = route.record_bound();
    for (const std::size_t limit : route.limits) add(needs, config.limits[limit]);
    for (const std::size_t limit : route.shadow_limits) add(needs, config.limits[limit]);
    for (const config::Condition& condition : route.filter) add(needs, condition.by);
    if (route.not_before) add(needs, *route.not_before);
    if (route.expires) add(needs, *route.expires);
    if (route.share) {
      const config::Share& share = config.shares[*route.share];
      add(needs, share.by);
      if (share.levels) add(needs, share.levels->by);
    }
    config.targets[route.target].by_kind([&](const config::HttpTarget& http) { add(needs, http); },
                                         [](const config::KafkaTarget&) {});
  }
  return all;
}

}  // namespace

bool JsonNeeds::cover(const JsonNeeds& others) const {
  if (others.in_lists && !in_lists) return false;
  return std::ranges::all_of(others.pointers, [this](const JsonPointer& pointer) {
    return std::ranges::find(pointers, pointer) != pointers.end();
  });
}

std::vector<JsonNeeds> json_needs(const config::Config& config) {
  const std::vector<JsonNeeds> each = needs_of_each(config);
  std::vector<JsonNeeds> all = each;
  for (std::size_t route = 0; route < all.size(); ++route) {
    if (!all[route].any()) continue;
    for (auto next = config::else_of(config, config.routes[route]); next;
         next = config::else_of(config, config.routes[*next])) {
      for (const JsonPointer& pointer : each[*next].pointers) add(all[route], pointer.text());
      all[route].in_lists |= each[*next].in_lists;
    }
  }
  return all;
}

}  // namespace einlass::app
