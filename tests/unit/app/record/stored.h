// Records as the gate keeps them, read with what their route needs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "app/json/json_needs.h"
#include "app/record/record_store.h"
#include "config/model/config.h"

namespace einlass::app {

// What a route with these limits and this target needs.
inline JsonNeeds needs_of(const std::vector<const config::Limit*>& limits,
                          config::HttpTarget http = {}) {
  config::Config config;
  config.targets.resize(1);
  config.targets[0].kind = std::move(http);
  config.routes.resize(1);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    config.limits.push_back(*limits[i]);
    config.routes[0].limits.push_back(i);
  }
  return json_needs(config)[0];
}

struct Stored {
  explicit Stored(const kafka::Message& message, JsonNeeds needs = {})
      : store({std::move(needs)}), record(store[store.put(message, core::RouteId{0})]) {}

  RecordStore store;
  const StoredRecord& record;
};

}  // namespace einlass::app
