// Tells people when a target's circuit breaker opens and closes.
#pragma once

#include <vector>

#include "config/model/config.h"
#include "core/gate/gate.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: one thread; outlived by what the constructor is given.
class BreakerNotices {
 public:
  BreakerNotices(const core::Gate& gate, const Notify& notify);

  // Tells what has changed since the last call. Called once a turn, with the config of now.
  void look(const config::Config& config);

 private:
  const core::Gate& gate_;
  const Notify& notify_;
  std::vector<bool> closed_;  // By target, as it was told; one that is not there was closed.
};

}  // namespace einlass::app
