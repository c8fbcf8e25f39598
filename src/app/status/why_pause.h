// Which of the pauses that people made holds up a record, and how that is said.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/steering/steer.h"
#include "app/views/why.h"
#include "config/model/config.h"

namespace einlass::app {

// The pause of exactly that, if there is one.
using FindPause = std::function<std::optional<Steer>(const Subject& subject)>;

struct HoldingPause {
  Subject subject;
  Steer steer;
};

// None where the record does not wait for a pause, or where it was resumed since.
std::optional<HoldingPause> pause_of(const WaitingRecord& record, const config::Config& config,
                                     const FindPause& find);

// Of a partition that is read no further. REQUIRES: `route` is that of its records.
std::optional<HoldingPause> pause_of_partition(const std::string& topic, core::RouteId route,
                                               const config::Config& config, const FindPause& find);

// "route results is paused by ann since 2026-03-01T09:30:00Z: upgrade".
std::string pause_in_words(const HoldingPause& pause);

// Null for none.
nlohmann::ordered_json pause_json(const std::optional<HoldingPause>& pause);

}  // namespace einlass::app
