#include "config/file/changes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "config/model/named.h"
#include "config/options/route_topics.h"
#include "config/tables/print_config.h"
#include "config/text/yaml_text.h"
#include "units/check.h"
#include "units/topic_pattern.h"

namespace einlass::config {
namespace {

using Path = std::vector<std::string>;

// Why the rest needs a restart, by how it begins.
struct Reason {
  std::string_view path;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {"instance", "the group and the log know this gate by it"},
    {"shards", "each has a thread and a consumer from the start"},
    {"admin", "the pages are served there, and so, since the start"},
    {"kafka", "the consumer is made at the start"},
    {"redis", "the connections and the keys are those of the start"},
    {"limits", "it would give the limit's state another form"},
    {"targets", "the target is made for it at the start"},
    {"routes", "what is inside waits under the old one"},
    {"shares", "what is inside stands in its flow and its level"},
};
constexpr std::string_view kOtherReason = "it is read at the start";
constexpr std::string_view kOtherForm = "it would give the limit's state another form";
constexpr std::string_view kShadow =
    "which limits a route's records wait for is settled at the start";
constexpr std::string_view kProducer =
    "the producer of dead letters is made at the start, or not at all";
constexpr std::string_view kPattern =
    "a pattern of topics fits it, and what the patterns leave out is fixed at the start";
constexpr std::string_view kPrecedence =
    "which of two patterns of topics takes precedence is settled at the start";
constexpr std::string_view kOtherNames =
    "what is inside, what is counted and what was spent belong to those of the start";

std::string_view reason_for(const WrittenOption& option) {
  if (option.is_live) return "";
  for (const Reason& reason : kReasons) {
    if (reason.path == option.path.front()) return reason.text;
  }
  return kOtherReason;
}

std::string joined(const Path& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
  return text;
}

template <class T>
std::ptrdiff_t find(const std::vector<T>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return name_of(one) == name; });
  return found == all.end() ? -1 : found - all.begin();
}

// Names that are only in one of the two.
template <class T>
void compare_names(const std::string& section, const std::vector<T>& from, const std::vector<T>& to,
                   std::vector<Changed>& changes) {
  for (const T& one : from) {
    if (is_written(one) && find(to, name_of(one)) < 0) {
      changes.push_back({section + "." + name_of(one), "there", "not there", kOtherNames});
    }
  }
  for (const T& one : to) {
    if (is_written(one) && find(from, name_of(one)) < 0) {
      changes.push_back({section + "." + name_of(one), "not there", "there", kOtherNames});
    }
  }
}

// A burst that another limit keeps, and that comes or goes.
void compare_paces(const std::vector<Limit>& from, const std::vector<Limit>& to,
                   std::vector<Changed>& changes) {
  const auto shown = [](const Limit& limit) {
    return limit.paced_by ? std::to_string(limit.burst.value) : std::string("not there");
  };
  for (const Limit& was : from) {
    const std::ptrdiff_t at = find(to, name_of(was));
    if (at < 0 || !is_written(was)) continue;
    const Limit& is = to[static_cast<std::size_t>(at)];
    if (was.paced_by.has_value() == is.paced_by.has_value()) continue;
    changes.push_back({"limits." + name_of(was) + ".burst", shown(was), shown(is), kOtherForm});
  }
}

// Those with patterns of topics, in the order in which these are tried.
std::vector<std::string> with_patterns(const std::vector<Route>& routes) {
  std::vector<std::string> names;
  for (const Route& route : routes) {
    if (std::ranges::any_of(route.topics, TopicPattern::is_one)) names.push_back(route.name);
  }
  return names;
}

void compare_precedence(const Config& from, const Config& to, std::vector<Changed>& changes) {
  const auto before = with_patterns(from.routes), after = with_patterns(to.routes);
  if (before == after || !std::ranges::is_permutation(before, after)) return;
  changes.push_back({"routes", yaml_list(before), yaml_list(after), kPrecedence});
}

// `all` in the order of `order`, and where each has gone.
template <class T>
std::vector<std::size_t> put_in_order(const std::vector<T>& order, std::vector<T>& all) {
  CHECK(order.size() == all.size());
  std::vector<std::size_t> gone_to(all.size());
  std::vector<T> sorted;
  for (const T& one : order) {
    const std::ptrdiff_t at = find(all, name_of(one));
    CHECK(at >= 0);
    gone_to[static_cast<std::size_t>(at)] = sorted.size();
    sorted.push_back(std::move(all[static_cast<std::size_t>(at)]));
  }
  all = std::move(sorted);
  return gone_to;
}

// A limit whose state another set of parameters would keep otherwise; and a cost of another kind:
// one header, or one field, is as good as another.
bool changes_form(const Limit& from, const Limit& to, const std::string& option) {
  const bool is_cost = option == "cost" || option == "default_cost";
  return from.limit.parameters.index() != to.limit.parameters.index() ||
         (is_cost && from.cost.kind != to.cost.kind);
}

struct Difference {
  Path path;
  Changed changed;
};

// What not the option alone says, but all that there is and is to be.
void refuse_other_form(const Config& from, const Config& to, bool other_left_out, Difference& one) {
  const Path& path = one.path;
  std::string_view& needs_restart = one.changed.needs_restart;
  const auto is_of = [&](std::string_view section) {
    return path.size() > 2 && path.front() == section;
  };
  if (is_of("limits")) {
    const auto i = static_cast<std::size_t>(find(from.limits, path[1]));
    if (changes_form(from.limits[i], to.limits[i], path[2])) needs_restart = kOtherForm;
    if (path[2] == "shadow") needs_restart = kShadow;
  }
  const bool dead_letter = is_of("routes") && path[2] == "dead_letter";
  const bool comes_or_goes = one.changed.from.empty() || one.changed.to.empty();
  if (dead_letter && comes_or_goes) needs_restart = kProducer;
  const bool topic = is_of("targets") && path[2] == "kafka" && path.back() == "topic";
  if ((dead_letter || topic) && other_left_out) needs_restart = kPattern;
}

using Options = std::vector<WrittenOption>;
using ByPath = std::map<Path, const WrittenOption*>;

ByPath by_path(const Options& options) {
  ByPath result;
  for (const WrittenOption& one : options) result.emplace(one.path, &one);
  return result;
}

std::vector<Difference> differences(const Options& from, const Options& to) {
  const ByPath before = by_path(from);
  const ByPath after = by_path(to);
  std::vector<Difference> all;
  for (const WrittenOption& was : from) {
    const auto is = after.find(was.path);
    if (is != after.end() && is->second->value == was.value) continue;
    const std::string now = is != after.end() ? is->second->shown : std::string();
    all.push_back({was.path, {joined(was.path), was.shown, now, reason_for(was)}});
  }
  for (const WrittenOption& is : to) {
    if (before.contains(is.path)) continue;
    all.push_back({is.path, {joined(is.path), "", is.shown, reason_for(is)}});
  }
  return all;
}

}  // namespace

std::string Changed::to_string() const {
  const auto shown = [](const std::string& value) {
    return value.empty() ? std::string("not there") : value;
  };
  return path + ": " + shown(from) + " -> " + shown(to);
}

std::vector<Changed> changes(const Config& from, const Config& to) {
  std::vector<Changed> changes;
  compare_names("limits", from.limits, to.limits, changes);
  compare_names("targets", from.targets, to.targets, changes);
  compare_names("shares", from.shares, to.shares, changes);
  compare_names("routes", from.routes, to.routes, changes);
  compare_paces(from.limits, to.limits, changes);
  if (!changes.empty()) return changes;  // The rest cannot be compared one by one.
  const Config ordered = in_order_of(from, to);
  const bool other_left_out = left_out_of_patterns(from) != left_out_of_patterns(ordered);
  for (Difference& one : differences(written_options(from), written_options(ordered))) {
    refuse_other_form(from, ordered, other_left_out, one);
    changes.push_back(std::move(one.changed));
  }
  compare_precedence(from, to, changes);
  return changes;
}

Config in_order_of(const Config& from, Config to) {
  const std::vector<std::size_t> limits = put_in_order(from.limits, to.limits);
  const std::vector<std::size_t> targets = put_in_order(from.targets, to.targets);
  const std::vector<std::size_t> shares = put_in_order(from.shares, to.shares);
  for (Limit& limit : to.limits) {
    if (limit.share) limit.share = shares[*limit.share];
    if (limit.paced_by) limit.paced_by = limits[*limit.paced_by];
  }
  put_in_order(from.routes, to.routes);
  for (Route& route : to.routes) {
    for (std::size_t& limit : route.limits) limit = limits[limit];
    for (std::size_t& limit : route.shadow_limits) limit = limits[limit];
    route.target = targets[route.target];
    if (route.share) route.share = shares[*route.share];
  }
  return to;
}

}  // namespace einlass::config
