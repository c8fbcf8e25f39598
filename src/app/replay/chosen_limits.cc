#include "app/replay/chosen_limits.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "config/limits/limit_values.h"

namespace einlass::app {
namespace {

// Without the bursts that no limit keeps, as they bound nothing: a trace that raises such a limit
// makes none.
config::Config with_kept_bursts(config::Config config) {
  for (config::Limit& limit : config.limits) {
    if (!limit.paced_by) limit.burst = {};
  }
  return config;
}

}  // namespace

ChosenLimits::ChosenLimits(const config::Config& config, const std::vector<std::size_t>& chosen)
    : config_(with_kept_bursts(config)), chosen_(chosen) {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const config::Limit& limit = config_.limits[chosen_[i]];
    all_.push_back(limit.limit);
    if (!limit.is_pace) index_of_written_.push_back(i);
    written_of_.push_back(index_of_written_.size() - 1);
    const std::size_t written = index_of_written_.back();
    overrides_.push_back(overrides_of(limit, config_.limits[chosen_[written]]));
  }
  for (const limits::Limit& limit : all_) names_.push_back(limit.name);
  for (const std::size_t index : index_of_written_) written_.push_back(names_[index]);
}

ChosenLimits::Overrides ChosenLimits::overrides_of(const config::Limit& limit,
                                                   const config::Limit& written) {
  Overrides overrides;
  limits::Limit of_key = limit.limit;
  for (const config::LimitOverride& one : written.overrides) {
    of_key.parameters = limit.is_pace ? one.value.pace.value() : one.value.parameters;
    overrides.add(one.key, std::make_shared<const limits::Limit>(of_key));
  }
  return overrides;
}

ReplayOfKey ChosenLimits::of_key() const {
  return [this](std::size_t limit, std::string_view key) {
    const auto* found = overrides_[limit].find(key);
    return found == nullptr ? nullptr : *found;
  };
}

Duration ChosenLimits::horizon() const {
  Duration shortest = config_.limits[chosen_.front()].horizon;
  for (const std::size_t index : chosen_) {
    shortest = std::min(shortest, config_.limits[index].horizon);
  }
  return shortest;
}

std::int64_t ChosenLimits::cost(std::size_t limit) const {
  return config::cost_of(config_.limits[chosen_[limit]]).value;
}

config::Mistakes ChosenLimits::change(std::span<const TraceLine::LimitChange> changes,
                                      const std::string& file, std::int64_t line) {
  config::Mistakes mistakes;
  std::vector<config::LimitValue> values;
  for (const TraceLine::LimitChange& change : changes) {
    const std::size_t limit = index_of(change.limit);
    const config::ChangesPosition position{
        file, static_cast<int>(line), static_cast<int>(change.column), "limit." + all_[limit].name};
    auto result = config::read_value(config_, chosen_[limit], change.changes, position);
    if (const auto* wrong = std::get_if<config::Mistakes>(&result)) {
      mistakes.insert(mistakes.end(), wrong->begin(), wrong->end());
    } else {
      values.push_back(std::move(std::get<config::LimitValue>(result)));
    }
  }
  if (!mistakes.empty()) return mistakes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t limit = index_of(changes[i].limit);
    config::Limit& changed = config_.limits[chosen_[limit]];
    changed.burst = values[i].burst;
    all_[limit].parameters = changed.limit.parameters = values[i].parameters;
    if (values[i].pace) all_[limit + 1].parameters = *values[i].pace;
  }
  return {};
}

}  // namespace einlass::app
