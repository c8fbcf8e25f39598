// The table of options in its parts, in the order in which they stand on the page: one source each.
#pragma once

#include <span>

#include "config/options.h"

namespace einlass::config {

std::span<const Option> options_of_service();  // The gate itself, Kafka, Redis, tracing.
std::span<const Option> options_of_limits();
std::span<const Option> options_of_targets();
std::span<const Option> options_of_routes();

}  // namespace einlass::config
