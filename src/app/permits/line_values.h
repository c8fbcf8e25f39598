// Which of a shard's lines go by other numbers than their limits' own, those of their keys or of
// the time of the week, and for which of them these have changed since. A line finds them when it
// is made, and again when it is brought up to date; in between a walk over all lines, a few each
// turn, finds those for which they are others by now.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/permits/limit_values.h"
#include "app/permits/line_table.h"
#include "core/contract/ids.h"

namespace einlass::app {

// REQUIRES: one thread; outlived by what the constructor is given.
class LineValues {
 public:
  using Found = LimitValues::Found;

  // How many lines a turn looks at.
  static constexpr std::uint32_t kLooksPerTurn = 256;

  // A change wakes whoever waits in `io`.
  LineValues(boost::asio::io_context& io, LimitValues& values, const LineTable& table);

  // What holds for the line from here on, one for each of its limits, null where that is the
  // limit's own; empty where it is so for all. It lives until the line is read again or forgotten.
  std::span<const Found> read(core::LineId line, std::span<const std::size_t> limits,
                              std::span<const std::string_view> keys);
  void forget(core::LineId line);

  // As it was read the last time.
  std::span<const Found> of(core::LineId line) const;

  // Some lines have not been looked at since the last change.
  bool is_walking() const { return at_ != end_ || seen_ != values_.version(); }

  // Goes on with the walk: `changed` is called with each line that has other numbers now, and of
  // which of its limits, as bits. It may be called again for one that has not been read since.
  // `limits_of` says which limits a route has.
  template <class LimitsOf, class Changed>
  void walk(LimitsOf limits_of, Changed changed) {
    if (!goes_on()) return;
    for (std::uint32_t left = std::min(kLooksPerTurn, end_ - at_); left > 0; --left) {
      const core::LineId line{at_++};
      if (!table_.is_known(line)) continue;
      const std::uint32_t which = differing(line, limits_of(table_.route_of(line)));
      if (which != 0) changed(line, which);
    }
  }

 private:
  bool goes_on();
  std::uint32_t differing(core::LineId line, std::span<const std::size_t> limits);

  LimitValues& values_;
  const LineTable& table_;
  std::vector<std::unique_ptr<std::vector<Found>>> by_line_;  // By LineId; null: none.
  std::vector<Found> scratch_;
  std::vector<std::string_view> keys_;
  std::uint64_t seen_;                  // The version that the walk is about, or was.
  std::uint32_t at_ = 0, end_ = 0;      // Where it goes on, and where it ends.
  std::atomic<bool> is_woken_ = false;  // By a change since the last turn.
  const LimitValues::Watch watch_;
};

}  // namespace einlass::app
