// Limits with `shadow: true`: each is asked for a permit of its own for every attempt that leaves,
// what it says is counted, and nobody waits for it. So a limit, or other numbers for one, can be
// tried on what really comes before it holds.
//
// They are asked apart from the limits that hold: through lines, asks and a connection to Redis
// that the gate does not know, so that nothing that goes wrong here can reach a record.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/memory/store.h"
#include "adapters/redis/store/store.h"
#include "app/permits/line_table.h"
#include "app/permits/process_limits.h"
#include "app/record/extract.h"
#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/contract/command.h"
#include "core/contract/event.h"

namespace einlass::app {

// What one shadow limit of one route has said of the attempts that left.
struct ShadowCounts {
  std::uint64_t admitted = 0;    // It had a permit for these,
  std::uint64_t rejected = 0;    // and none for these: they would have waited.
  std::uint64_t unanswered = 0;  // Nobody knows: its store did not answer in time.
};

// REQUIRES: one thread; outlived by what the constructor is given.
class Shadows {
 public:
  // The most attempts, of all lines, that wait to be asked about or answered. Those beyond, while
  // answers are long in coming, count as unanswered.
  static constexpr std::size_t kMostWaiting = 10'000;

  Shadows(boost::asio::io_context& io, const config::Config& config, ProcessLimits& shared,
          const Notify& notify);

  // An attempt has left. `record` is the one that the command names. Each is followed by one
  // ended(). REQUIRES: the record was read with what the route's limits need of its value as JSON.
  void sent(const core::Send& send, const StoredRecord& record);

  // The attempt is over: limits of attempts under way have its place back.
  void ended(const core::DeliveryEnded& ended, Instant now);

  // Goes on under other numbers. REQUIRES: the configuration lives until the next call; no change
  // needs a restart.
  void reconfigure(const config::Config& config);

  // Counts what was answered and asks about what has left since, many in one call. Once a turn.
  void flush(Instant now);

  // By the index in the route's list of shadow limits.
  std::vector<ShadowCounts> counts(core::RouteId route) const;

 private:
  // One shadow limit of one route. In the table of lines its number stands where a route's does.
  struct Watch {
    const config::Limit* limit = nullptr;
    const limits::Limit* in_memory = nullptr;  // The same, where it is kept in memory.
    std::size_t number = 0;                    // In the configuration.
    bool holds = false;                        // It counts attempts under way.
    ShadowCounts counts;
  };
  // An attempt that some line is to be asked about.
  struct Leaving {
    core::RecordId record;
    core::Attempt attempt;
    Permits cost{1};
  };
  struct Line {
    std::deque<Leaving> leaving;
    std::size_t asked = 0;      // How many of them, from the front, the open ask is about.
    std::size_t held = 0;       // Permits of attempts under way.
    std::uint32_t reloads = 0;  // Since when its store knows its numbers, ...
    std::uint64_t values = 0;   // ... and others than those, ...
    LimitValues::Found value;   // ... which are these.
    bool listed = false;        // In to_ask_.
    bool sent = false;          // The open ask did not fail at once.
  };
  struct UsedPermit {
    core::LineId line;
    core::Permit permit;
  };
  // What an attempt holds at limits of attempts under way.
  struct UnderWay {
    core::Attempt attempt;
    std::vector<UsedPermit> permits;
  };

  void read_limits(const config::Config& config);
  std::span<Watch> of(core::RouteId route);
  std::span<const Watch> of(core::RouteId route) const;
  Watch& watch_of(core::LineId line) { return watches_[table_.route_of(line).value]; }
  core::LineId find_or_add(std::size_t watch, std::string_view key);
  std::vector<redis::Bucket> redis_bucket(core::LineId id, std::string_view key);
  std::vector<memory::Bucket> memory_bucket(core::LineId id, std::string_view key);
  void read_value(core::LineId id, std::string_view key);
  void bring_up_to_date(core::LineId id);
  void list(core::LineId id);
  void leave_out_ended(core::LineId id);
  std::size_t put_alike_first(Line& line);
  void ask(core::LineId id, Instant now);
  void take_answers(Instant now);
  void answered(const core::PermitsAnswered& answer, Instant now);
  void unanswered(const core::PermitsFailed& failed);
  void use_permit(const Leaving& leaving, const UsedPermit& used, Instant now);
  void give_back(const UsedPermit& used, Instant now);
  void done(core::LineId id);
  void forget_if_idle(core::LineId id);

  ProcessLimits& shared_;
  core::Events events_;  // The stores' answers; the gate never sees them.
  LineTable table_;
  memory::Store memory_;
  std::unique_ptr<redis::Store> redis_;
  std::vector<Watch> watches_;            // Of all routes, one after the other.
  std::vector<std::size_t> first_watch_;  // By RouteId, and one more.
  std::vector<RecordFields> fields_;      // By RouteId, of its watches.
  std::vector<Line> lines_;               // By LineId.
  std::size_t leaving_ = 0;               // In all of them.
  std::vector<core::LineId> to_ask_;
  std::map<core::RecordId, UnderWay> under_way_;  // Only where a limit counts them.
  core::AskId last_ask_{};
  std::uint32_t reloads_ = 0;
};

}  // namespace einlass::app
