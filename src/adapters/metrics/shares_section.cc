#include <cstddef>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {

void add_shares(Families& page, const Snapshot& snapshot) {
  const std::vector<ShareSum> shares = sum_shares(snapshot);
  page.counter("einlass_share_permits_total",
               "Permits used (attempts, if no limit takes its cost from the record), by flow and "
               "level: the flows that the share names, and all others as other.");
  for (const ShareSum& sum : shares) {
    for (std::size_t flow = 0; flow < sum.permits.size(); ++flow) {
      for (std::size_t level = 0; level < sum.share.levels.size(); ++level) {
        page.add({{"share", sum.share.name},
                  {"flow", sum.flow_name(flow)},
                  {"level", sum.share.levels[level]}},
                 sum.permits[flow][level]);
      }
    }
  }
  page.gauge("einlass_share_waiting",
             "Records that could leave if it were their turn, by level; for a share without "
             "levels, all of them.");
  for (const ShareSum& sum : shares) {
    for (std::size_t level = 0; level < sum.share.levels.size(); ++level) {
      page.add({{"share", sum.share.name}, {"level", sum.share.levels[level]}}, sum.waiting[level]);
    }
  }
}

}  // namespace einlass::metrics
