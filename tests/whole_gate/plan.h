// What a seed stands for: what the gate is told, who is around it, and how they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/redis_world.h"
#include "whole_gate/table_plan.h"
#include "whole_gate/wire.h"

namespace einlass::whole {

struct Plan {
  RedisKind redis = RedisKind::one;
  bool http2 = false;
  Ordered ordered = Ordered::no;
  Promise promise;             // Of the limit...
  std::string limit;           // ... as its section says it, ...
  double per_second = 0;       // ... and what it lets through.
  bool is_bucket = false;      // It has a rate and a burst, ...
  bool has_keys = false;       // ... and each key its own.
  bool costs = false;          // What a record takes of it is said by the record.
  std::uint64_t attempts = 0;  // What a second limit allows under way in the fleet; 0: none does.
  bool shares = false;         // Flows by key share the limit by weight, as in a fleet.
  std::uint64_t in_flight = 1;
  std::uint64_t together = 1;  // How many records a request has at most.
  int servers = 1;
  bool by_key = false;         // Each server has its keys.
  bool redis_forgets = false;  // What it knew when it went down.
  bool is_stood_in_for = false;
  std::vector<Origin> origins;  // The partitions.
  bool second_target = false;   // Of the second route, if there is one.
  std::int64_t records = 0;
  std::uint64_t keys = 6;         // How many of them most records have.
  Micros bad_until = 0;           // From the beginning.
  std::vector<TableEntry> table;  // Of quotas and pauses; empty: the gate has none.
  Weather weather;
};

// The paths of the targets, by which a receiver tells them apart.
inline constexpr const char *kFirstPath = "/in", *kSecondPath = "/others";

Plan draw_plan(Kernel& kernel);

// The header by which a record says what it takes of the limit.
inline constexpr const char* kUnits = "units";

// Of any bytes, some of them large, some of them null.
Record draw_record(Kernel& kernel, const Plan& plan);

// How long the limit needs for all records at most, whatever they take of it, and whoever has it.
Micros needed_for_all(const Plan& plan);

}  // namespace einlass::whole
