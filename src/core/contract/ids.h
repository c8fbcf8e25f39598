// The names by which the gate and its adapters speak of things. Each says who gives the number out.
#pragma once

#include <compare>
#include <cstdint>

#include "units/id.h"

namespace einlass::core {

// Given out by the composition root, dense from 0, fixed while the gate lives.
using RouteId = Strong<struct RouteTag, std::uint16_t>;
using TargetId = Strong<struct TargetTag, std::uint16_t>;
using StoreId = Strong<struct StoreTag, std::uint8_t>;
using LimitId = Strong<struct LimitTag, std::uint16_t>;

// Which of a line's limits: its index in the route's list.
using LimitIndex = Strong<struct LimitIndexTag, std::uint8_t>;

// One assignment of one Kafka partition. Given out by the source, dense from 0; used again only
// after the gate has said PartitionDone. So a number never means two assignments at once, which
// is what keeps a late answer away from a new assignment.
using PartitionId = Strong<struct PartitionTag, std::uint32_t>;

// One set of buckets that records of one route wait for. Given out by the composition root, dense
// from 0; used again only after the gate has said ForgetLine.
using LineId = Strong<struct LineTag, std::uint32_t>;

// Records with the same key in the same partition, where a route is ordered by key: a hash. Two
// keys that collide only wait for each other.
using LaneKey = Strong<struct LaneKeyTag, std::uint64_t>;

// Records that share by weight with others, where a route has a share: a hash. Two flows that
// collide are one.
using FlowKey = Strong<struct FlowKeyTag, std::uint64_t>;

// One question to a limiter, which may be asked again until it is answered. Given out by the gate,
// never used for another while the process lives.
using AskId = Strong<struct AskTag, std::uint64_t>;

// Which try to deliver a record: 1, 2, 3, ...
using Attempt = Strong<struct AttemptTag, std::uint32_t>;

// A record inside the gate: its slot in the record store, and how often that slot had been used
// before, so that an answer that comes twice or too late is recognised.
struct RecordId {
  std::uint32_t slot = 0;
  std::uint32_t use = 0;

  constexpr auto operator<=>(const RecordId&) const = default;
};

}  // namespace einlass::core
