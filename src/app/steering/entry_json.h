// An entry of the fleet's table as the admin pages show it.
#pragma once

#include <nlohmann/json.hpp>

#include "app/steering/steer.h"

namespace einlass::app {

nlohmann::ordered_json entry_json(const Subject& subject, const Steer& steer);

}  // namespace einlass::app
