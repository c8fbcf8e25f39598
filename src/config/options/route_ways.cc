// Records go on from route to route by `else`, and through topics that another route reads: that of
// a Kafka target, or of dead letters. No way may lead back to where it began, for they would go
// round forever.
#include "config/options/route_ways.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/route_topics.h"
#include "config/tables/tables.h"
#include "config/text/suggest.h"

namespace einlass::config {
namespace {

struct Step {
  std::size_t to;
  std::string_view option;  // By which.
  std::string topic;        // Through which; empty: by `else`.
};
using Steps = std::vector<std::vector<Step>>;  // Of each route.

std::string name_of(std::size_t route) { return "routes[" + std::to_string(route) + "]"; }

Steps steps_of(Section& top, const Config& config) {
  Steps steps;
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    std::vector<Step>& of = steps.emplace_back();
    const auto through = [&](std::string_view option, const std::string& topic) {
      const int reader = topic.empty() ? -1 : reader_of(config.routes, topic);
      if (reader >= 0) of.push_back({static_cast<std::size_t>(reader), option, topic});
    };
    const Route& route = config.routes[i];
    through("target", written_to(top.opened(name_of(i)), config, route));
    if (const auto next = else_of(config, route)) of.push_back({*next, "else", ""});
    through("dead_letter", route.dead_letter);
    std::erase_if(of, [i](const Step& step) { return step.to == i; });  // Said elsewhere.
  }
  return steps;
}

// Whether some way leads from `at` to `first`, past none that stands before that one: such a way is
// said where it begins. It is added to `way`.
bool leads_back(const Steps& steps, std::size_t first, std::size_t at, std::vector<bool>& seen,
                std::vector<Step>& way) {
  for (const Step& step : steps[at]) {
    if (step.to < first || seen[step.to]) continue;
    way.push_back(step);
    if (step.to == first) return true;
    seen[step.to] = true;
    if (leads_back(steps, first, step.to, seen, way)) return true;
    way.pop_back();
  }
  return false;
}

void refuse_rounds(Section& top, const Config& config) {
  const Steps steps = steps_of(top, config);
  for (std::size_t first = 0; first < steps.size(); ++first) {
    std::vector<bool> seen(steps.size());
    std::vector<Step> way;
    if (!leads_back(steps, first, first, seen, way)) continue;
    std::string text = name_of(first);
    for (const Step& step : way) {
      text += (step.topic.empty() ? "" : " -> " + step.topic) + " -> " + name_of(step.to);
    }
    top.opened(name_of(first))
        .wrong(way.front().option, "its records would go round forever: " + text);
  }
}

std::string no_route(const Config& config, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Route& route : config.routes) known.push_back(route.name);
  const auto near = suggestion(name, known);
  return in_quotes(name) + " is no route of this file" + (near ? "; " + *near : "");
}

// Of two that take a record one after the other.
std::string trouble_between(const Target* target, const Target* next) {
  const auto in_transactions = [](const Target* one) { return one && one->exactly_once(); };
  if (!in_transactions(target) && !in_transactions(next)) return "";
  return "does not go together with exactly_once: a transaction has the offsets of whole "
         "partitions, so all of their records have to go to its target";
}

void check_else(Section& top, const Config& config, std::size_t index) {
  const Route& route = config.routes[index];
  Section& section = top.opened(name_of(index));
  if (!section.has("else") || !section.sound({"else"})) return;
  const auto next = else_of(config, route);
  if (!next) return section.wrong("else", no_route(config, route.otherwise));
  if (*next == index) return section.wrong("else", "is the route itself; name another one");
  if (!section.has("filter")) {
    return section.wrong("else",
                         "gets nothing without a filter here; write filter, or leave else out");
  }
  const Route& to = config.routes[*next];
  const std::string trouble =
      trouble_between(target_of(section, route), target_of(top.opened(name_of(*next)), to));
  if (!trouble.empty()) section.wrong("else", trouble);
}

// Only what others leave to it comes to a route without topics.
void check_reads(Section& top, const Config& config, std::size_t index) {
  const Route& route = config.routes[index];
  Section& section = top.opened(name_of(index));
  if (!route.topics.empty() || !section.has("topics") || !section.sound({"topics"})) return;
  const bool gets = std::ranges::any_of(
      config.routes, [&](const Route& other) { return other.otherwise == route.name; });
  if (gets) return;
  section.wrong("topics",
                "no topic, and no other route has this one as its else; write at least one");
}

}  // namespace

std::optional<std::size_t> else_of(const Config& config, const Route& route) {
  if (route.otherwise.empty()) return std::nullopt;
  const auto found = std::ranges::find(config.routes, route.otherwise, &Route::name);
  if (found == config.routes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - config.routes.begin());
}

// What is written to a topic that a route reads comes back to it.
std::string written_to(Section& section, const Config& config, const Route& route) {
  const Target* target = target_of(section, route);
  const bool same = target != nullptr && on_the_same_cluster(config.kafka, *target);
  return same ? target->kafka()->topic : "";
}

void check_ways(Section& top, Config& config) {
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    check_reads(top, config, i);
    check_else(top, config, i);
  }
  refuse_rounds(top, config);
}

}  // namespace einlass::config
