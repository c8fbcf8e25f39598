// The parts of /v1/status and of an event of /v1/events, each as JSON, read off the shards' views.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/service/recent.h"
#include "app/service/reload.h"
#include "app/service/shards.h"
#include "app/status/status.h"
#include "app/steering/steering.h"
#include "config/model/config.h"

namespace einlass::app {

using Json = nlohmann::ordered_json;

std::string shard_name(std::size_t i);

// `why` is what the watchdog says of the shard; empty where it says nothing.
std::string does_not_answer(std::size_t shard, const std::string& why);

// Those of which anything is known.
std::vector<std::reference_wrapper<const ShardView>> known(const Views& views);

// Who it is; whether ready.
Json state_json(const Views& views, const config::Config& config, const ProcessView& process);
Json shards_json(const Views& views, const std::vector<std::string>& silent);
Json books_json(const metrics::Snapshot& sum);
Json routes_json(const metrics::Snapshot& sum, const config::Config& config);
Json shares_json(const metrics::Snapshot& sum, const config::Config& config,
                 const Steering& steering);
Json targets_json(const Views& views, const config::Config& config);
Json stores_json(const Views& views, const config::Config& config);
std::string kafka_trouble(const Views& views);
Json kafka_json(const Views& views);
Json dead_letters_json(const Views& views);
Json reload_json(const ReloadState& reload);
Json recent_json(const Recent& recent);

}  // namespace einlass::app
