// What a seed stands for: a gate's configuration, the servers around it, what goes wrong, and the
// judgement.
#pragma once

#include <cstdint>
#include <string>

#include "whole_gate/real_redis.h"

namespace einlass::whole {

struct Outcome {
  std::string broken;  // Empty: every promise was kept.
  std::string config;
  std::uint64_t hash = 0;  // The same for each run of the seed.
  std::size_t requests = 0;
  std::uint64_t repeats = 0;
  double seconds = 0;  // Of the world's time.
};

Outcome run_world(std::uint64_t seed, RealRedis& redis, bool verbose);

}  // namespace einlass::whole
