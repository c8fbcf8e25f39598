// What a seed stands for: what the gate is told, who is around it, and how they are.
#pragma once

#include <cstdint>
#include <string>

#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/redis_world.h"
#include "whole_gate/wire.h"

namespace einlass::whole {

struct Plan {
  RedisKind redis = RedisKind::one;
  bool http2 = false;
  Ordered ordered = Ordered::no;
  Promise promise;             // Of the limit...
  std::string limit;           // ... as its section says it, ...
  double per_second = 0;       // ... and what it lets through.
  std::uint64_t attempts = 0;  // What a second limit allows under way in the fleet; 0: none does.
  bool shares = false;         // Flows by key share the limit by weight, as in a fleet.
  std::uint64_t in_flight = 1;
  std::uint64_t together = 1;  // How many records a request has at most.
  int servers = 1;
  bool by_key = false;         // Each server has its keys.
  bool redis_forgets = false;  // What it knew when it went down.
  bool is_stood_in_for = false;
  int partitions = 1;
  std::int64_t records = 0;
  Micros bad_until = 0;  // From the beginning.
  Weather weather;
};

Plan draw_plan(Kernel& kernel);

// What the file of that edition says: how many requests may be in flight, and in any edition how
// long one takes at least before it is given up.
std::uint64_t most_in_flight(const Plan& plan, int edition);
inline constexpr Micros kShortestTimeout = 3'000'000;

// The gate's file. `redis` is the section of that name. The first edition is what the gate begins
// with; others have other numbers, and the gate may go on under them.
std::string configuration(const Plan& plan, const std::string& redis, int edition);

// Of any bytes, some of them large, some of them null.
Record draw_record(Kernel& kernel);

}  // namespace einlass::whole
