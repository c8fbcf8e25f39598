#include "app/replay/replay_choice.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/process/run_id.h"
#include "app/setup/wiring.h"
#include "config/text/values.h"
#include "core/contract/options.h"
#include "text/ascii.h"

namespace einlass::app {

std::optional<std::vector<std::size_t>> chosen_limits(const config::Config& config,
                                                      const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const config::Limit& limit : config.limits) {
    if (!limit.is_pace) known.push_back(limit.limit.name);
  }
  std::vector<std::size_t> result;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    const auto index = static_cast<std::size_t>(found - known.begin());
    const bool paced = found != known.end() && config.limits[index].paced_by.has_value();
    std::string trouble;
    if (found == known.end()) {
      trouble = "there is no limit '" + name + "' in the configuration";
      if (const auto there_is = config::what_there_is(name, known)) trouble += "; " + *there_is;
    } else if (std::find(result.begin(), result.end(), index) != result.end()) {
      trouble = "limit '" + name + "' is named twice";
    } else if (result.size() + (paced ? 2 : 1) > core::kMostLimits) {
      trouble = "more than 8 limits, with those that keep a burst; so many are asked at once";
    }
    if (!trouble.empty()) {
      std::fprintf(stderr, "einlass: --limits: %s\n", trouble.c_str());
      return std::nullopt;
    }
    result.push_back(index);
    if (paced) result.push_back(config.limits[index].paced_by.value());
  }
  return result;
}

redis::StoreOptions replay_options(const config::Config& config) {
  const RunId run = random_run_id();
  redis::StoreOptions options = redis_options(config, run);
  options.name_space += ":replay:";
  append_hex(options.name_space, {reinterpret_cast<const char*>(run.data()), run.size()});
  return options;
}

}  // namespace einlass::app
