// The limiters of one shard: which line a record belongs to, and which store answers for it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/memory/store.h"
#include "adapters/redis/store/store.h"
#include "app/permits/line_table.h"
#include "app/permits/line_values.h"
#include "app/permits/pauses.h"
#include "app/permits/process_limits.h"
#include "app/permits/stand_in.h"
#include "app/process/run_id.h"
#include "app/record/extract.h"
#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/gate/gate.h"

namespace einlass::app {

// Where a record waits, and what it takes.
struct LineAndCost {
  core::LineId line;
  Permits cost{1};
  std::string
      bad;  // Why it must go to the dead letter topic without an attempt; empty: it need not.
};

// REQUIRES: one thread; outlived by what the constructor is given.
class Limiters {
 public:
  Limiters(boost::asio::io_context& io, const config::Config& config, ProcessLimits& shared,
           const RunId& run, core::Events& events, const Notify& notify, core::Gate& gate);

  // For a record. Its line is made known to the gate and to its store if it is new. REQUIRES: the
  // record was read with what its route's limits need of its value as JSON.
  LineAndCost line_of(const StoredRecord& record);

  // What the gate wants of the line's limits, to whichever answers for them now: the store, or what
  // stands in for it. What `ask` and its permits point to lives as the command says; answers are
  // events, in memory at once. REQUIRES: the line was found here, and is not forgotten.
  void ask(const core::Ask& ask, Instant now);
  void release(const core::Release& release, Instant now);
  void ended(const core::Ended& ended, Instant now);
  void forget(core::LineId line);

  // The record's target has asked for a pause (Retry-After): gates that share a limit of that
  // target in Redis keep to it too.
  void hold(core::TargetId target, Duration length);

  // Goes on under other numbers. What limits in memory allow is changed for the whole process by
  // ProcessLimits. REQUIRES: the configuration outlives the next call, as that of the constructor
  // outlives the first, for it is compared with what comes then; no change needs a restart.
  void reconfigure(const config::Config& config);

  // Which keys are paused from here on: `changed` is called with each line for which that is
  // another answer than before. Lines that are new are made so. `keys` outlives the next call.
  void pause(const PausedKeys& keys,
             const std::function<void(core::LineId line, bool paused)>& changed);

  // Redis answers no more, or again: as the store has said to the gate. Lines for which something
  // stands in ask at once, whatever the other has said of their next permit: see look_at_values().
  void redis_down(bool down);

  // Sends what this turn has asked for, and forgets some of what nobody uses any more.
  void flush(Instant now);

  // Looks at some lines whose keys may have other numbers now, or for which another answers. Once a
  // turn: each that is to ask anew is an event.
  void look_at_values();

  // There are more of these lines: look_at_values() is to be called again soon.
  bool has_more() const { return values_.is_walking() || next_anew_ != kNoneAnew; }

  // As LineTable has it: of limits without a key an empty text. REQUIRES: the line is known, as
  // that of every record inside is which was not abandoned.
  void read_keys(core::LineId line, std::vector<std::string_view>& keys) const {
    table_.read_keys(line, keys);
  }

  // The parameters that hold for the line at that index among its route's limits: for its key, for
  // now, or the limit's own.
  const limits::Parameters& in_force(core::LineId line, std::size_t index) const;

  // The span of the limit's schedule to which it owes them; none if it does not.
  std::optional<LimitValues::Scheduled> scheduled(core::LineId line, std::size_t index) const;

  // The limit by its index in the configuration, whatever a key has for itself.
  std::optional<LimitValues::Scheduled> scheduled(std::size_t limit) const {
    return shared_.values().scheduled(limit);
  }

  const memory::Store& memory() const { return memory_; }
  const redis::Store* redis() const { return redis_.get(); }
  const core::Histogram& redis_calls() const { return redis_calls_; }
  std::size_t lines() const { return table_.size(); }
  const LineTable& table() const { return table_; }

 private:
  static constexpr std::uint32_t kNoneAnew = ~std::uint32_t{0};

  struct Route {
    std::vector<const config::Limit*> limits;
    std::vector<const limits::Limit*> in_memory;  // The same, where they are kept in memory.
    std::vector<std::size_t> indexes;             // In the configuration.
    std::uint32_t without_key = 0;                // Which of them have none, as bits.
    RecordFields fields;
    bool keyed = false;         // Some limit has a key; else all records wait in `only_line`.
    bool may_stand_in = false;  // See stand_in.h.
    bool late_is_lost = false;  // Some limit takes nothing back that comes late.
    core::LineId only_line;
    core::AskId last_old_cost{};  // Permits of asks up to here cost what they do no more.
  };

  void read_limits(const config::Config& config);
  void bring_up_to_date(core::LineId line, const Route& route);
  const Route& route_of(core::LineId line) const { return routes_[table_.route_of(line).value]; }
  Route& route_of(core::LineId line) { return routes_[table_.route_of(line).value]; }
  static bool in_redis(const Route& route);
  static bool is_paused(const PausedKeys* paused, const Route& route,
                        std::span<const std::string_view> keys);
  bool stands_in(const core::Ask& ask, const Route& route) const;
  void tell_of_redis();
  core::LineId find_or_add(core::RouteId route, std::span<const std::string_view> keys, bool keep);
  std::span<const memory::Bucket> in_memory_buckets(const Route& route,
                                                    std::span<const std::string_view> keys,
                                                    std::span<const LineValues::Found> values);

  core::Gate& gate_;
  core::Events& events_;
  ProcessLimits& shared_;
  LineTable table_;
  LineValues values_;
  memory::Store memory_;
  StandIn stand_in_;
  core::Histogram redis_calls_;
  std::unique_ptr<redis::Store> redis_;
  std::vector<Route> routes_;           // By RouteId.
  const PausedKeys* paused_ = nullptr;  // Null: none ever was.
  bool redis_down_ = false;
  std::uint32_t next_anew_ = kNoneAnew;  // The line from which on they are to hear of that.
  core::AskId last_ask_{};
  std::uint32_t reloads_ = 1;
  std::vector<std::uint32_t> known_since_;  // By LineId: the reload whose numbers its store has; 0
                                            // where they are not those that hold.
  std::vector<std::string_view> keys_;
  std::vector<memory::Bucket> buckets_;  // Of in_memory_buckets().
};

}  // namespace einlass::app
