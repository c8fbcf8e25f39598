// Which records a route delivers, by what they say of themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/record/stored_record.h"
#include "config/model/config.h"
#include "core/contract/ids.h"

namespace einlass::app {

// Those of all routes.
class Filters {
 public:
  explicit Filters(const config::Config& config);

  // Whether the record meets all conditions of that route. A field that cannot be told is not
  // there, as a header that the record has twice with different values. REQUIRES: the record was
  // read with what the filter needs of its value as JSON.
  bool lets_pass(core::RouteId route, const StoredRecord& record);

  // The route that has what this one leaves out; none where that is nobody's. They end.
  std::optional<core::RouteId> otherwise(core::RouteId route) const {
    return by_route_[route.value].otherwise;
  }

 private:
  bool meets(const config::Condition& condition, const StoredRecord& record);

  struct Filter {
    std::vector<config::Condition> conditions;  // Ready to be looked up in.
    std::optional<core::RouteId> otherwise;
  };

  std::vector<Filter> by_route_;
  std::string scratch_;
};

}  // namespace einlass::app
