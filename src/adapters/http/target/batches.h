// Which records go in one request, until it has ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapters/http/client/request.h"
#include "core/contract/ids.h"

namespace einlass::http {

// A request is known by its first record, as everywhere. REQUIRES: used by one thread.
class Batches {
 public:
  // Keeps a copy of them, which lives until end().
  std::span<const BatchMember> begin(std::span<const BatchMember> members) {
    std::vector<BatchMember>& kept = open_[members.front().record.slot];
    kept.assign(members.begin(), members.end());
    return kept;
  }

  // Takes out those that went with `first`, itself among them; empty: it went alone.
  std::vector<BatchMember> end(core::RecordId first) {
    const auto found = open_.find(first.slot);
    if (found == open_.end()) return {};
    std::vector<BatchMember> members = std::move(found->second);
    open_.erase(found);
    return members;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<BatchMember>> open_;  // At most max_in_flight.
};

}  // namespace einlass::http
