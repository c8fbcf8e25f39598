// What a trace has asked for so far, by the ids that it gave its asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "limits/fleet/fleet_share.h"
#include "units/id.h"
#include "units/keyed_hash.h"
#include "units/time.h"

namespace einlass::app {

// An ask that a later line of the trace may name.
struct Asked {
  std::uint64_t number = 0;  // Which of all asks it is; no two have one.
  Instant at;
  std::vector<std::string> keys;    // By the index of the limit.
  std::vector<std::int64_t> costs;  // Likewise; 0: that of each permit.
  std::vector<Permits> each;        // Then: what each permit costs.
  // Where flows share a limit: its index, and of each granted permit the level and the flow.
  std::optional<std::size_t> shared{};
  std::vector<AskingFlow> flows{};
  std::vector<std::uint16_t> flow_of{};  // By the permit: an index into `flows`.
  bool answered = false;
  std::vector<Duration> due;        // Of each permit that was granted, after `at`.
  std::size_t returned = 0;         // How many of the last ones were given back, unused.
  bool ended = false;               // What the others were for is over.
  const std::string* id = nullptr;  // The book's own; null once another ask has taken the id.

  // How many are held still: the first ones.
  std::size_t left() const { return ended ? 0 : due.size() - returned; }
};

class ReplayBook {
 public:
  // Older asks than these are forgotten, and those before so many permits.
  static constexpr std::size_t kMostAsked = 500'000;
  static constexpr std::size_t kMostPermits = 4'000'000;

  // The last ask of that id; null if there is none, or no more. Stays until as many are added.
  Asked* find(const std::string& id);

  // Takes an ask in, to be filled in by whoever made it.
  Asked& add(const std::string& id);

  // The ask's answer has come.
  void answered(Asked& asked, std::span<const Duration> due);

 private:
  void forget_oldest();

  std::deque<Asked> asked_;  // In the order in which they were made.
  std::unordered_map<std::string, Asked*, KeyedHash, std::equal_to<>> by_id_;
  std::size_t permits_ = 0;
};

}  // namespace einlass::app
