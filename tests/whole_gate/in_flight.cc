#include "whole_gate/in_flight.h"

#include <algorithm>
#include <utility>

#include "whole_gate/judge.h"

namespace einlass::whole {

void InFlight::allow(std::uint64_t requests) {
  most_requests_ = std::max(most_requests_, requests);
}

void InFlight::began(std::size_t request, const std::string& target, std::size_t records,
                     Micros until, std::weak_ptr<Wire> wire) {
  open_.insert_or_assign(request, Open{target, records, until, std::move(wire)});
  forget_ended();
  std::size_t requests = 0, all = 0;
  for (const auto& [number, one] : open_) {
    requests += one.target == target;
    all += one.records;
  }
  if (requests > most_requests_) {
    throw Broken(std::to_string(requests) + " requests are in flight, and " +
                 std::to_string(most_requests_) + " may be");
  }
  if (most_records_ > 0 && all > most_records_) {
    throw Broken(std::to_string(all) + " records are under way, and " +
                 std::to_string(most_records_) + " may be");
  }
}

void InFlight::forget_ended() {
  std::erase_if(open_, [this](const auto& entry) {
    const auto wire = entry.second.wire.lock();
    return !wire || wire->is_ending() || entry.second.until <= kernel_.now();
  });
}

}  // namespace einlass::whole
