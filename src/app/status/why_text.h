// Why a record waits, for people and programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/status/why_pause.h"
#include "app/views/why.h"
#include "config/model/config.h"
#include "core/contract/standing.h"
#include "units/time.h"

namespace einlass::app {

// The answers of all shards as JSON; none for one that did not answer. Without `find` nobody knows
// of a pause who made it.
std::string why_json(const WhyQuestion& question,
                     const std::vector<std::optional<WhyAnswer>>& answers,
                     const config::Config& config, const FindPause& find = nullptr);

// What it waits for in one sentence, without a full stop.
std::string waits_in_words(const WaitingRecord& record, const config::Config& config, Instant now);

// What Standing::waits counts as in the metrics (core::cause_of()).
std::string_view reason_name(core::WaitsFor waits);

}  // namespace einlass::app
