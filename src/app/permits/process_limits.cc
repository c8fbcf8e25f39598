#include "app/permits/process_limits.h"

#include <algorithm>

#include "config/limits/pace.h"
#include "limits/fleet/local_share.h"

namespace einlass::app {

// Without a number of instances nobody asks for a share.
limits::Limit local_share_of(const config::Limit& limit, const limits::Parameters& parameters,
                             int instances) {
  limits::Limit share = limit.limit;
  share.parameters = limit.is_pace ? config::share_of_pace(parameters, instances)
                                   : limits::local_share(parameters, std::max(instances, 1));
  return share;
}

ProcessLimits::ProcessLimits(const config::Config& config) : values_(config) {
  for (const config::Limit& limit : config.limits) {
    limits_.push_back(limit.limit);
    shares_.push_back(local_share_of(limit, limit.limit.parameters, config.instances));
  }
}

void ProcessLimits::change(const config::Config& config) {
  memory_.change([&] {
    for (std::size_t i = 0; i < limits_.size(); ++i) limits_[i] = config.limits[i].limit;
  });
  shares_table_.change([&] {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const config::Limit& limit = config.limits[i];
      shares_[i] = local_share_of(limit, limit.limit.parameters, config.instances);
    }
  });
  values_.reconfigure(config);
}

}  // namespace einlass::app
