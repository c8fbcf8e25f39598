// What answers in the limiter's place while it does not: for the routes whose limits all say what
// they want then (on_outage: pass or local_share). The others wait.
//
// What may be admitted too much. With local_share each gate keeps to its part of the limit, on its
// own (its shards together): all together to the whole, counted from the outage on; so in a window
// that holds the outage's beginning or end at most twice the limit. With pass there is no bound.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "adapters/memory/store.h"
#include "app/permits/process_limits.h"
#include "config/model/config.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "limits/contract/limit.h"

namespace einlass::app {

// REQUIRES: one thread; outlived by what the constructor is given.
class StandIn {
 public:
  StandIn(const config::Config& config, ProcessLimits& limits, core::Events& events);

  // Goes on under other policies. Of what was granted under the old ones only the places among the
  // attempts under way come back. REQUIRES: the configuration lives until the next call; no change
  // needs a restart.
  void reconfigure(const config::Config& config);

  // Answers at once, by an event whose due times live until the line's next ask. `keys` are the
  // line's, one for each of the route's limits. A cost that only the whole limit could pay is
  // denied: for good where records bring their costs, so that the gate sets that one aside.
  // REQUIRES: may_stand_in(); a line keeps its route and keys until it is forgotten.
  void ask(const core::Ask& ask, core::RouteId route, const std::vector<std::string_view>& keys,
           Instant now);

  // REQUIRES: the permit was granted here.
  void release(const core::Release& release, Instant now);
  void ended(const core::Ended& ended, Instant now);

  // The line's keys have other numbers, which hold from its next ask on.
  void outdate(core::LineId line) {
    if (knows(line)) known_[line.value] = kOutdated;
  }

  // The line may be one of which nothing was heard.
  void forget(core::LineId line);

  // Forgets some of the buckets that are full again. Called once a turn.
  void sweep(Instant now) { shares_.sweep(now); }

 private:
  static constexpr std::uint32_t kOutdated = ~std::uint32_t{0};

  struct Part {
    const config::Limit* whole;
    std::size_t number;   // In the configuration.
    core::LimitIndex at;  // In the route's list.
  };
  struct Shared {
    std::vector<Part> parts;  // Of those that pass there are none.
    bool cost_varies = false;
  };

  void read_routes(const config::Config& config);
  void pass(const core::Ask& ask, Instant now);
  memory::Bucket bucket_of(const Part& part, std::string_view key) const;
  bool knows(core::LineId line) const { return line.value < known_.size() && known_[line.value]; }
  bool is_up_to_date(core::LineId line) const {
    return knows(line) && known_[line.value] == policies_;
  }
  void bring_up_to_date(core::LineId line, const Shared& shared,
                        const std::vector<std::string_view>& keys);

  core::Events& events_;
  ProcessLimits& limits_;
  memory::Store shares_;
  std::vector<Shared> routes_;        // By RouteId.
  int instances_ = 1;                 // That divide the limits.
  std::vector<std::uint32_t> known_;  // By LineId: since which policies shares_ has it, or 0.
  std::uint32_t policies_ = 1;        // Counts them.
  core::AskId last_ask_{}, last_old_ask_{};  // Ever; under policies that are in force no more.
  std::vector<memory::Bucket> scratch_;
  const std::vector<Duration> due_at_once_;  // Of all asks that pass.
};

}  // namespace einlass::app
