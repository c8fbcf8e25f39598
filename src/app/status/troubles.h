// What is wrong with this gate, and was lately, for the top of every page: what, since when, until
// when, and how many records wait for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/service/reload.h"
#include "app/shard/troubles.h"
#include "app/status/status_json.h"
#include "app/steering/steering.h"

namespace einlass::app {

struct ShownTrouble {
  Trouble trouble;
  std::optional<std::uint64_t> waiting{};  // Records; none where that cannot be said.
};

// What is wrong with the process now, beside its shards' troubles and what people have paused.
std::vector<Trouble> process_troubles_now(const Views& views, const metrics::Snapshot& sum,
                                          const ReloadState& reload, const Steering& steering);

// Those that last, the bad ones first, each since the shard that had it first; then those that have
// ended. Empty while all is well.
std::vector<ShownTrouble> troubles_of(const Views& views, const metrics::Snapshot& sum,
                                      const config::Config& config,
                                      const std::vector<Trouble>& of_process,
                                      const Steering& steering);

Json troubles_json(const std::vector<ShownTrouble>& troubles);
std::vector<metrics::Trouble> trouble_metrics(const std::vector<ShownTrouble>& troubles,
                                              Instant now);

}  // namespace einlass::app
