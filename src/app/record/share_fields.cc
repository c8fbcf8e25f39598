#include "app/record/share_fields.h"

#include <algorithm>

#include "app/record/extract.h"
#include "app/setup/flow_names.h"
#include "net/digest.h"

namespace einlass::app {

ShareFields::ShareFields(const config::Share& share, bool in_fleet, const FlowWeights* set)
    : share_(share.name),
      set_(set),
      by_(share.by),
      default_weight_(share.default_weight),
      in_fleet_(in_fleet) {
  if (share.levels) {
    level_by_ = share.levels->by;
    levels_ = share.levels->names;
  }
  const std::vector<std::string> named = named_flows(share);
  for (const auto& [name, weight] : share.weights) {
    const auto index = std::ranges::find(named, name) - named.begin();
    const bool has_name = index < static_cast<std::ptrdiff_t>(named.size());
    const auto counter = static_cast<std::uint8_t>(has_name ? index : core::kNamedFlows);
    known_.add(name, Known{weight, counter});
  }
}

ShareFields::Known ShareFields::known(std::string_view flow) const {
  const Known* found = known_.find(flow);
  const Known by_file = found != nullptr ? *found : Known{default_weight_};
  if (set_ == nullptr) return by_file;
  return {set_->find(share_, flow).value_or(by_file.weight), by_file.name};
}

std::uint8_t ShareFields::level_of(const StoredRecord& record) {
  if (levels_.empty()) return 0;
  const auto name = key_of(level_by_, record, scratch_);
  const auto found = name ? std::ranges::find(levels_, *name) : levels_.end();
  return static_cast<std::uint8_t>(found == levels_.end() ? levels_.size() - 1
                                                          : found - levels_.begin());
}

Shares::Shares(const config::Config& config, const FlowWeights& set) : set_(set) {
  reconfigure(config);
}

void Shares::reconfigure(const config::Config& config) {
  by_route_.clear();
  for (const config::Route& route : config.routes) {
    std::optional<ShareFields>& share = by_route_.emplace_back();
    if (!route.share) continue;
    const bool in_fleet = std::ranges::any_of(
        route.limits, [&](std::size_t limit) { return config.limits[limit].share.has_value(); });
    share.emplace(config.shares[*route.share], in_fleet, &set_);
  }
}

core::FlowMark ShareFields::read(const StoredRecord& record) {
  core::FlowMark mark;
  mark.level = level_of(record);
  const std::string_view flow = key_of(by_, record, scratch_).value_or("");
  const Known found = known(flow);
  mark.key = core::FlowKey{keyed_hash(flow)};
  mark.weight = found.weight;
  mark.name = found.name;
  // Whoever chooses a flow's name must not find one that counts as another's.
  if (in_fleet_) mark.in_fleet = FlowId{net::sha256_front(flow)};
  return mark;
}

}  // namespace einlass::app
