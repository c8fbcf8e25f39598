// How old records are when they are delivered: from their timestamps in Kafka until their target
// has accepted them.
#pragma once

#include <cstddef>
#include <vector>

#include "app/record/record_store.h"
#include "core/contract/event.h"
#include "core/contract/stats.h"
#include "core/gate/gate.h"

namespace einlass::app {

class DeliveryDelays {
 public:
  explicit DeliveryDelays(std::size_t routes) : by_route_(routes) {}

  // Takes note of what the gate is about to handle.
  void note(const core::DeliveryEnded& ended, const core::Gate& gate, const RecordStore& records,
            Instant now);

  const core::Histogram& of(core::RouteId route) const { return by_route_[route.value]; }

 private:
  std::vector<core::Histogram> by_route_;
};

}  // namespace einlass::app
