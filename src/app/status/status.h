// What /v1/status, /readyz and the books at the end say, read off the views of the shards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/service/shards.h"
#include "config/model/config.h"

namespace einlass::app {

class Steering;
struct ProcessView;

// Of a gate that is about to end, whatever else there is to say.
inline constexpr std::string_view kDrains = "the gate drains: it reads nothing more, and ends";

// Why the gate cannot do its work now; empty if it can.
std::string why_not_ready(const Views& views, const config::Config& config);

// The same; or why no shard reads yet: what is steered is not known.
std::string why_not_ready(const Views& views, const config::Config& config,
                          const Steering& steering);

// What does not hinder a gate that is ready yet, and will; empty if there is nothing to say.
std::string warning_when_ready(const Views& views, const config::Config& config);

// The sum of all shards for /metrics.
metrics::Snapshot sum_of(const Views& views);

// The whole state as JSON, for /v1/status.
std::string status_json(const Views& views, const config::Config& config,
                        const ProcessView& process);

}  // namespace einlass::app
