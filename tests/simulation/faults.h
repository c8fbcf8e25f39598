// Says when a fault happens. Each kind has its own dice, so that leaving one kind out leaves the
// others where they were.
#pragma once

#include <string>
#include <vector>

#include "draw.h"
#include "units/time.h"

namespace einlass::simulation {

class Faults {
 public:
  explicit Faults(const Settings& settings) : settings_(settings) {
    for (std::size_t i = 0; i < kFaults; ++i) {
      dice_.emplace_back(settings.seed, name_of(static_cast<Fault>(i)));
    }
  }

  // From now on everything works.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  bool happens(Fault fault) {
    return settings_.has(fault) && dice(fault).chance(settings_.of(fault)) && !stopped_;
  }
  Dice& dice(Fault fault) { return dice_[static_cast<std::size_t>(fault)]; }

 private:
  const Settings& settings_;
  std::vector<Dice> dice_;
  bool stopped_ = false;
};

}  // namespace einlass::simulation
