// When a retry goes before a fresh record, where a target's retries have only a share of its
// attempts.
//
// At the target each fresh attempt earns, and each retry spends. Of a limit without key a retry
// spends when its permit is granted, if its line has nothing else: so no more is asked for than is
// paid for. The share counts only while fresh records want the same.
#pragma once

#include <cstdint>
#include <vector>

#include "core/contract/options.h"
#include "core/delivery/delivery.h"
#include "core/lines/keyless_limits.h"
#include "core/lines/line.h"
#include "core/lines/line_queue.h"
#include "core/lines/target_queues.h"

namespace einlass::core {

// Belongs to Admission. What it writes are the credits of targets, limits without key and lines.
class RetryBudget {
 public:
  // All live longer.
  RetryBudget(const GateOptions& options, const Delivery& delivery,
              std::vector<TargetQueues>& targets, KeylessLimits& limits,
              const LineQueue::Lines& lines);

  // It has nothing but retries, and the target's credit does not pay for one while fresh records
  // wait.
  bool shut_out(const Line& line) const;

  // Others wait for what the line's next record needs, and the credit does not pay for a retry.
  bool retry_must_wait(const Line& line) const;

  // The line's next record is a retry. REQUIRES: it has both kinds.
  bool retry_goes_first(const Line& line) const {
    return line.credit.retries(line.retry_share) > 0 && !retry_must_wait(line);
  }

  // How many of the line's retries may have permits. With fresh records of its own the line has
  // permits for these alone while others want them, and its credit decides.
  std::int64_t usable_retries(const Line& line) const;

  // A record of the line goes to the target. REQUIRES: it has left the line's lists.
  void sent(Line& line, bool retry) { line.apart() ? count(line, retry) : earn_for_others(line); }

 private:
  const RouteOptions& route_of(const Line& line) const { return options_.routes[line.route.value]; }
  TargetQueues& queues_of(const Line& line) const { return targets_[route_of(line).target.value]; }
  bool is_closed(const Line& line) const {
    return delivery_.breaker(route_of(line).target).closed();
  }
  bool fresh_want(const Line& line) const;
  bool fresh_want(const Line& line, KeylessIndex index) const;
  void count(Line& line, bool retry);
  void earn_for_others(const Line& line);

  const GateOptions& options_;
  const Delivery& delivery_;
  std::vector<TargetQueues>& targets_;
  KeylessLimits& limits_;
  const LineQueue::Lines& lines_;
};

}  // namespace einlass::core
