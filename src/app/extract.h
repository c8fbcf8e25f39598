// What is read from a record's bytes, once, when it comes in: its bucket keys and its lane.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/kafka/source.h"
#include "config/config.h"
#include "core/ids.h"

namespace einlass::app {

// The record's key for a limit; empty where the record has none. The view is into the message or
// into `scratch`.
std::string_view bucket_key(const config::KeySource& source, const kafka::Message& message,
                            std::string& scratch);

// The record's lane where a route is ordered by key; none for a record without a key.
std::optional<core::LaneKey> lane_key(const kafka::Message& message);

// The value of the first header of that name, in any case of letters; none if there is none.
std::optional<std::string_view> header_value(const kafka::Message& message, std::string_view name);

}  // namespace einlass::app
