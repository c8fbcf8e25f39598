// What the gate is told when it is made, and at each reload. Filled by the composition root from
// the config.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/contract/finished_map.h"
#include "core/contract/flow.h"
#include "core/contract/ids.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::core {

// The most limits that a route may have.
inline constexpr std::size_t kMostLimits = 8;

// Which records of a route must leave one after the other.
enum class Order : std::uint8_t { partition, key, none };

// What comes due in so short a time may as well leave together. A gate that sleeps until then pays
// for one wake-up, which costs more than a record; and a window that is a whole number of slots has
// no more in it for that. tests/bench measures what other lengths cost (end_to_end.py, slots).
inline constexpr Duration kSlot = Duration::millis(2);

struct RouteOptions {
  TargetId target;
  Order order = Order::partition;
  std::uint8_t limit_count = 0;  // How many limits its lines have; 0 = no permit is needed.
  StoreId store;                 // Where they are kept.
  bool stood_in_for = false;     // An ask that failed is answered by another when it is made again.
  Duration horizon;  // How far ahead permits may be asked for: that of a costly record further.
  Duration use_within = Duration::millis(100);  // How long a permit may be used after it is due.
  // Permits ahead are waited for until the end of the slot of this length that they come due in, so
  // that a wake-up carries several; 0 = until they are due. REQUIRES: less than use_within.
  Duration slot;
  // Bit i is set: limit i has no key, so all lines share it. Only where such a limit is the one
  // that binds does a line with several limits ask ahead: else a slow tenant's tickets would book
  // the shared limit far ahead, and everybody else behind them.
  std::uint32_t keyless_limits = 0;
  // Which of all limits each is, by its index: lines of one target compete for a limit without key.
  std::array<LimitId, kMostLimits> limits{};
  // Bit i is set: limit i counts attempts under way, so each one's end is told to it.
  std::uint32_t held_limits = 0;
  bool cost_varies = false;  // Some limit takes its cost from the record.
  ShareOptions share{};
  // Bit i is set: what the share divides in this gate limit i divides among the flows of all gates.
  // At most one; it has no key, and no cost comes from the record. REQUIRES: there is a share.
  std::uint32_t fleet_limits = 0;
  std::uint64_t flow_names = 0;  // A hash of those that are counted by name, in their order.
  Duration retry_initial = Duration::millis(200);
  Duration retry_max = Duration::seconds(30);
  std::uint32_t attempts = 0;          // 0 = for ever.
  bool leads_on = false;               // Other routes take some of its partitions' records.
  bool dead_letter = false;            // Without it a refused record is tried again for ever.
  std::int64_t inside_records = 1000;  // Most that may be inside, per partition: a partition over
  Bytes inside_bytes{16 << 20};        // either is held, so each is passed by one record at most.
};

struct BreakerOptions {
  std::uint32_t failures = 0;  // In a row, until it opens; 0 = it never does.
  Duration wait = Duration::millis(500);
  Duration max_wait = Duration::seconds(30);  // Doubled up to this after each three failed probes.
  // Failures without an answer open it only after so long without a good one. REQUIRES: longer than
  // one line may be the only one whose permits come due.
  Duration silence = Duration::millis(200);

  bool operator==(const BreakerOptions&) const = default;
};

// Several records in one request. They share its place at the target; each has its own permit.
struct BatchOptions {
  std::uint32_t records = 1;  // Most in one request; 1 = each record goes alone.
  Bytes bytes{1 << 20};       // A second record is only added where all together are at most this.
  Duration linger;       // How long the first may wait for others. REQUIRES: less than use_within.
  Bytes names{8 << 10};  // Nor is a second added where the names of all together are more.
};

struct TargetOptions {
  std::uint32_t max_in_flight = 64;  // Requests.
  BatchOptions batch{};
  // A request's records and their offsets take effect together or not at all: see Transact.
  // REQUIRES: max_in_flight is 1, and there are batches.
  bool transactional = false;
  BreakerOptions breaker{};
  // How many of a hundred attempts may be retries while fresh records could have been sent instead;
  // 100 = all of them. REQUIRES: 1 to 100; 100 where there are batches.
  std::int64_t retry_share = 100;
  // Where each byte takes the loop's time: once records of so many were sent nothing is before
  // TargetReady. None: there is no bound.
  Bytes at_once{};
};

struct GateOptions {
  std::vector<RouteOptions> routes;    // By RouteId.
  std::vector<TargetOptions> targets;  // By TargetId.
  std::uint8_t stores = 0;
  // A commit goes out this long after the last one, or 10 ms after it if so many records have
  // finished by then, and never before the last one was answered.
  Duration commit_interval = Duration::millis(100);
  std::uint32_t commit_records = 256;
  std::int64_t inside_records = 100'000;  // Most that may be inside, in all.
  Bytes inside_bytes{256 << 20};
  std::size_t most_finished_text = kMostFinishedText;  // What a commit takes of it.
  std::uint64_t seed = 0;                              // For jitter.
};

}  // namespace einlass::core
