// The weights that flows of a share have while the gate runs, beside those of the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text/compact_text.h"
#include "units/keyed_hash.h"

namespace einlass::app {

// One for the process, for any thread: the shards look here for each record of a route with a
// share, and that costs them nothing while no weight is set.
class FlowWeights {
 public:
  // What is set for a flow, by its whole name; none where the file's weight holds.
  std::optional<std::uint16_t> find(std::string_view share, std::string_view flow) const;

  // The weight of one flow from its next record on; none takes it away. How many there may be is
  // for the caller to bound, and whether there is such a share.
  void set(std::string_view share, std::string_view flow, std::optional<std::uint16_t> weight);

 private:
  using Flows = std::unordered_map<CompactText, std::uint16_t, KeyedHash, CompactText::Equal>;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Flows, std::less<>> shares_;  // Only those of which a flow is set.
  std::atomic<bool> any_ = false;                     // Whether there is one.
};

}  // namespace einlass::app
