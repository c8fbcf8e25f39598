// What a route's share reads from a record: its flow, with its weight, and its level.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/record/flow_weights.h"
#include "app/record/stored_record.h"
#include "config/model/config.h"
#include "config/model/patterns.h"
#include "core/contract/flow.h"
#include "core/contract/ids.h"

namespace einlass::app {

class ShareFields {
 public:
  // `in_fleet`: a limit is shared with the flows of other gates, so they need a common name.
  // `set`: which weights go before those of the file; null: none ever does. It outlives this.
  explicit ShareFields(const config::Share& share, bool in_fleet = false,
                       const FlowWeights* set = nullptr);

  // A record without the field is of the flow without a name, and of the last level.
  // REQUIRES: the record was read with what the share needs of its value as JSON.
  core::FlowMark read(const StoredRecord& record);

 private:
  struct Known {
    std::uint16_t weight = 1;
    std::uint8_t name = core::kNamedFlows;
  };

  Known known(std::string_view flow) const;
  std::uint8_t level_of(const StoredRecord& record);

  std::string share_;
  const FlowWeights* set_;
  config::KeySource by_, level_by_;
  config::Patterns<Known> known_;
  std::vector<std::string> levels_;
  std::uint16_t default_weight_;
  bool in_fleet_;
  std::string scratch_;
};

// Those of all routes.
class Shares {
 public:
  // REQUIRES: `set`, the weights that go before those of the file, outlives this.
  Shares(const config::Config& config, const FlowWeights& set);

  // As another configuration has them. REQUIRES: the same routes in the same order.
  void reconfigure(const config::Config& config);

  // Of a route without a share: nothing that anybody looks at. REQUIRES: as ShareFields::read().
  core::FlowMark read(core::RouteId route, const StoredRecord& record) {
    std::optional<ShareFields>& share = by_route_[route.value];
    return share ? share->read(record) : core::FlowMark{};
  }

 private:
  const FlowWeights& set_;
  std::vector<std::optional<ShareFields>> by_route_;
};

}  // namespace einlass::app
