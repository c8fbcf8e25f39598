// How long the records of a world take in which nothing goes wrong and all of them are there from
// the beginning, if whatever is scarcest is always in use.
#pragma once

#include "draw.h"
#include "kafka_world.h"

namespace einlass::simulation {

Duration time_at_full_speed(const Settings& settings, const KafkaWorld& kafka);

}  // namespace einlass::simulation
