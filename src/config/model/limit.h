// A limit of the configuration, and what its numbers are besides its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/model/sources.h"
#include "config/model/week.h"
#include "limits/contract/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::config {

enum class Store { memory, redis };

// What becomes of a record whose key or cost cannot be read: `standard` is the empty key's bucket
// and default_cost.
enum class BadKey { standard, dead_letter };

// What becomes of records while the limit's store cannot answer.
enum class OnOutage { hold, pass, local_share };

// How late a permit of a strict limit may be used.
inline constexpr Duration kStrictUse = Duration::millis(1);

// What the numbers of a limit are for a key, or at a time, for which they are others than its own.
struct LimitValue {
  limits::Parameters parameters;
  std::optional<limits::Parameters> pace{};  // Of the limit that keeps its burst, where one does;
  Permits burst{};                           // and that burst as it is written.
  bool operator==(const LimitValue&) const = default;
};

struct LimitOverride {
  std::string key;  // Or the beginning of keys, and a * behind.
  LimitValue value;
  bool operator==(const LimitOverride&) const = default;
};

// What they are during a span of the week.
struct ScheduledValue {
  std::string name;  // The span as it is written, with its time zone.
  WeekSpan span;
  LimitValue value;
  bool operator==(const ScheduledValue&) const = default;
};

// What the limits of a route must book ahead if the flows of all gates share one of them: what a
// gate leaves to others is theirs once they ask, within half of it.
inline constexpr Duration kLeastShared = Duration::millis(100);

struct Limit {
  limits::Limit limit;  // Name, algorithm and its parameters, cost.
  Store store = Store::memory;
  KeySource key;
  CostSource cost;
  Permits default_cost{1};
  BadKey bad_key = BadKey::standard;
  bool spread = false;  // The key's value is the hash tag, so a cluster spreads the buckets.
  OnOutage on_outage = OnOutage::hold;
  Duration horizon = Duration::millis(500);
  Duration use_within = Duration::millis(100);
  bool strict = false;  // use_within is kStrictUse, and a sliding window that much longer for it.
  bool shadow = false;  // Asked about every attempt, and obeyed by nobody.
  std::optional<std::size_t> share;  // Of the flows of all gates: index into Config::shares.
  // Of a limit that counts a window, and grants nothing ahead, but for a `burst` at a time: kept by
  // a limit of its own, which its routes have behind it and the file does not name.
  Permits burst{};                       // 0: as many as the limit.
  std::optional<std::size_t> paced_by;   // That limit's index, in Config::limits behind all others.
  bool is_pace = false;                  // Whether this is such a limit.
  std::vector<LimitOverride> overrides;  // In the order of the file.
  // Likewise; no two hold at one time. Where one does, it is as if its numbers were the limit's.
  std::vector<ScheduledValue> schedule;
  std::string time_zone;  // Of its spans; empty without any.
  bool operator==(const Limit&) const = default;
};

}  // namespace einlass::config
