#include "core/lines/places.h"

#include <algorithm>
#include <cstddef>

namespace einlass::core {
namespace {

// Of a target's places, what nobody takes beyond his part.
constexpr std::int64_t kReservedPart = 8;

// One of its limits has a key, and each value of that a line.
bool has_key(const RouteOptions& route) {
  const std::uint32_t all = (std::uint32_t{1} << route.limit_count) - 1;
  return (route.keyless_limits & all) != all;
}

}  // namespace

Places::Places(const GateOptions& options, const Delivery& delivery)
    : options_(options), delivery_(delivery), targets_(options.targets.size()) {
  std::vector<bool> has_route(targets_.size());
  for (const RouteOptions& route : options.routes) {
    const std::size_t target = route.target.value;
    targets_[target].many |= has_route[target] || has_key(route);
    has_route[target] = true;
  }
}

void Places::come(const Line& line) {
  Usage& usage = of(line);
  ++usage.lines;
  usage.held.come(line.in_flight);
}

void Places::go(const Line& line) {
  Usage& usage = of(line);
  --usage.lines;
  usage.held.go(line.in_flight);
}

// Where lines come and go, one that is alone leaves some places to the next.
std::int64_t Places::parts_of(TargetId id) const {
  const Usage& usage = targets_[id.value];
  return std::max<std::int64_t>(usage.lines, usage.many ? 2 : 1);
}

std::int64_t Places::part_of(TargetId id) const {
  const std::int64_t parts = parts_of(id);
  const std::int64_t most = options_.targets[id.value].max_in_flight;
  if (most < kReservedPart) return (most + parts - 1) / parts;
  return std::max<std::int64_t>(most / parts, 1);
}

std::int64_t Places::part_left(const Line& line) const {
  const TargetId id = target_of(line);
  if (parts_of(id) == 1) return options_.targets[id.value].max_in_flight;
  return part_of(id) - line.in_flight;
}

std::int64_t Places::left(const Line& line, Instant now) const {
  const TargetId id = target_of(line);
  const std::int64_t room = delivery_.room(id, now);
  const std::int64_t parts = parts_of(id);
  // A probe may be anybody's.
  if (parts == 1 || !delivery_.breaker(id).closed()) return room;
  const std::int64_t most = options_.targets[id.value].max_in_flight;
  const std::int64_t part = part_of(id), own = part - line.in_flight;
  const std::int64_t unreserved = room - most / kReservedPart;
  if (unreserved > own) return std::clamp<std::int64_t>(unreserved, 0, room);
  const std::int64_t left_over = most - parts * part - targets_[id.value].held.beyond(part);
  return std::clamp<std::int64_t>(std::max(own, std::min(left_over, own + 1)), 0, room);
}

Places::Count Places::count(TargetId id) const {
  const Usage& usage = targets_[id.value];
  return {usage.lines, usage.held.all(), usage.held.beyond(part_of(id))};
}

}  // namespace einlass::core
