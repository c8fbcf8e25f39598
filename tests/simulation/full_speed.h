// How long the records of a world take in which nothing goes wrong and all of them are there from
// the beginning, if whatever is scarcest is always in use.
#pragma once

#include "draw.h"
#include "kafka_world.h"

namespace einlass::simulation {

Duration time_at_full_speed(const Settings& settings, const KafkaWorld& kafka);

// Slower limits, so that this is much longer than what a world takes to begin and to end, where it
// depends on limits at all. No more records: those cost the simulation's own time.
void slow_down_to_be_judged(Settings& settings);

}  // namespace einlass::simulation
