// Gives each set of buckets that records wait for a number: the line. Bucket keys are read from a
// record once, at intake; from there on only the number travels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/contract/ids.h"
#include "units/keyed_hash.h"

namespace einlass::app {

// REQUIRES: one thread.
class LineTable {
 public:
  struct Found {
    core::LineId line;
    bool is_new;
  };

  // What a line takes is kept for one to come, for so many of them and with keys as long as this:
  // tenants that come and go then cost no allocations.
  static constexpr std::size_t kSpare = 4096;
  static constexpr std::size_t kSpareKeys = 128;

  // The line of a route's records with these keys, one for each of the route's limits.
  Found find_or_add(core::RouteId route, std::span<const std::string_view> keys);

  // The number may be given out again. REQUIRES: it was given out.
  void forget(core::LineId line);

  // Fills `keys` with those by which it was found, one for each of the route's limits, in place of
  // what was there. They live until it is forgotten. REQUIRES: is_known().
  void read_keys(core::LineId line, std::vector<std::string_view>& keys) const;

  // REQUIRES: is_known().
  core::RouteId route_of(core::LineId line) const { return lines_[line.value].route; }
  std::size_t size() const { return by_keys_.size(); }

  // All lines have numbers below this one; not every number is a line's.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(lines_.size()); }
  // REQUIRES: it is below slots().
  bool is_known(core::LineId line) const { return lines_[line.value].keys != nullptr; }

  // Calls `visit` with each line and its route.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].keys != nullptr) visit(core::LineId{i}, lines_[i].route);
    }
  }

 private:
  struct Line {
    core::RouteId route;
    const std::string* keys = nullptr;  // The map's own.
  };
  using ByKeys = std::unordered_map<std::string, core::LineId, KeyedHash, std::equal_to<>>;

  const std::string& enter(core::LineId line);

  ByKeys by_keys_;
  std::vector<ByKeys::node_type> spare_;
  std::vector<Line> lines_;  // By LineId.
  std::vector<std::uint32_t> unused_;
  std::string scratch_;
};

}  // namespace einlass::app
