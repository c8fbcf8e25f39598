// One line of a trace: an instant and what is asked for then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/replay/json_scanner.h"
#include "config/limits/limit_values.h"
#include "limits/fleet/fleet_share.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::app {

// The latest instant of a trace, in 2112: far enough below what can be counted exactly for any
// window and horizon to fit behind it.
inline constexpr Instant kLatestInTrace{std::int64_t{1} << 52};

// Names and keys in a line are longer for nobody.
inline constexpr std::size_t kMostLineBytes = 1 << 20;

// The part of an ask that is about flows.
struct TraceShare {
  std::size_t limit = 0;  // The index of the one that they share.
  limits::GateId gate;
  Duration idle_after = limits::kIdleAfter;
  AskingFlows of{};

  limits::ShareDemand demand() const { return {gate, idle_after, &of}; }
};

struct TraceLine {
  enum class Verb : std::uint8_t { acquire, release, ended, peek, limit };

  struct LimitChange {
    std::size_t limit = 0;  // Its index in the list of limits.
    std::size_t column = 0;
    std::vector<config::Change> changes;
  };

  Instant at;
  std::size_t at_column = 0;
  Verb verb = Verb::acquire;
  std::size_t verb_column = 0;  // Of the verb's value.
  std::string id;               // Empty: none. Of acquire, release and ended.
  std::size_t id_column = 0;

  // Of acquire.
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::optional<Duration> horizon;
  std::vector<std::int64_t> costs;  // By the index of the limit; 0: its own, or `each`.
  std::vector<Permits> each;        // What each of `max` permits costs; empty: all the same.
  std::optional<TraceShare> share;  // What the flows of a fleet share.

  std::vector<std::string> keys;  // Of acquire and peek, by the index of the limit.

  std::optional<std::int64_t> count;  // Of release.

  std::vector<LimitChange> limits;  // Of limit.
};

// REQUIRES: `limits`, the names of the limits in their order, outlives it.
class TraceReader {
 public:
  explicit TraceReader(const std::vector<std::string_view>& limits) : limits_(limits) {}

  // Reads the line into `out`, whose room is used again; or says what is wrong with it.
  std::optional<JsonMistake> read(std::string_view text, TraceLine& out);

 private:
  class Fields;

  void read_verb(JsonScanner& json, TraceLine::Verb verb, TraceLine& out);
  void read_acquire(JsonScanner& json, TraceLine& out);
  void read_release(JsonScanner& json, bool counted, TraceLine& out);
  void read_peek(JsonScanner& json, TraceLine& out);
  void read_limits(JsonScanner& json, TraceLine& out);
  void read_keys(JsonScanner& json, TraceLine& out);
  void read_costs(JsonScanner& json, TraceLine& out);
  void read_each(JsonScanner& json, TraceLine& out);
  void read_share(JsonScanner& json, TraceLine& out);
  void read_flow(JsonScanner& json, TraceShare& out);
  void read_rest(JsonScanner& json, TraceShare& out);
  void read_id(JsonScanner& json, TraceLine& out);

  const std::vector<std::string_view>& limits_;
  std::string name_;  // Of the field being read.
  std::string text_;
};

}  // namespace einlass::app
