// The limits of a replay: those that were chosen, each with the one that keeps its burst, under the
// numbers of the file, and of the trace where that has changed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/replay/replay_stores.h"
#include "app/replay/replay_trace.h"
#include "config/model/config.h"
#include "config/model/patterns.h"
#include "config/text/mistake.h"
#include "limits/contract/limit.h"
#include "units/time.h"

namespace einlass::app {

class ChosenLimits {
 public:
  // `chosen` are their indexes in the configuration, as chosen_limits() has them.
  ChosenLimits(const config::Config& config, const std::vector<std::size_t>& chosen);
  ChosenLimits(const ChosenLimits&) = delete;
  ChosenLimits& operator=(const ChosenLimits&) = delete;

  // All of them, in their order. They stay where they are.
  const ReplayLimits& all() const { return all_; }
  const std::vector<std::string_view>& names() const { return names_; }

  // Those of them that the file has: only these stand in a trace. Which of all each is.
  const std::vector<std::string_view>& written() const { return written_; }
  std::size_t index_of(std::size_t written) const { return index_of_written_[written]; }

  // What a trace says of those holds for the limits that keep their bursts too.
  template <class T>
  void spread(std::vector<T>& by_written) const {
    by_written.resize(written_of_.size());
    for (std::size_t i = written_of_.size(); i-- > 0;) by_written[i] = by_written[written_of_[i]];
  }

  // Whatever the trace makes of a limit's own numbers, those of the file for single keys stay. Used
  // as long as this lives.
  ReplayOfKey of_key() const;

  // Of an ask that does not say: how far ahead it may be granted, and what it costs there.
  Duration horizon() const;
  std::int64_t cost(std::size_t limit) const;

  // Other numbers from here on, as that line of the trace says; or all that is wrong with them, and
  // nothing has changed.
  config::Mistakes change(std::span<const TraceLine::LimitChange> changes, const std::string& file,
                          std::int64_t line);

 private:
  using Overrides = config::Patterns<std::shared_ptr<const limits::Limit>>;

  static Overrides overrides_of(const config::Limit& limit, const config::Limit& written);

  config::Config config_;  // As the trace has changed it.
  const std::vector<std::size_t> chosen_;
  ReplayLimits all_;
  std::vector<Overrides> overrides_;  // Of each of them.
  std::vector<std::string_view> names_, written_;
  std::vector<std::size_t> index_of_written_;  // Of each of these, among all, ...
  std::vector<std::size_t> written_of_;        // ... and of each of all which of these it is of.
};

}  // namespace einlass::app
