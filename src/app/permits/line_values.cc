#include "app/permits/line_values.h"

#include <boost/asio/post.hpp>

namespace einlass::app {

LineValues::LineValues(boost::asio::io_context& io, LimitValues& values, const LineTable& table)
    : values_(values), table_(table), seen_(values.version()), watch_(values, [this, &io] {
        if (!is_woken_.exchange(true)) boost::asio::post(io, [] {});
      }) {}

std::span<const LineValues::Found> LineValues::read(core::LineId line,
                                                    std::span<const std::size_t> limits,
                                                    std::span<const std::string_view> keys) {
  scratch_.clear();
  bool any = false;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    scratch_.push_back(values_.find(limits[i], keys[i]));
    any |= scratch_.back() != nullptr;
  }
  if (!any) {
    forget(line);
    return {};
  }
  if (line.value >= by_line_.size()) by_line_.resize(line.value + 1);
  by_line_[line.value] = std::make_unique<std::vector<Found>>(scratch_);
  return *by_line_[line.value];
}

void LineValues::forget(core::LineId line) {
  if (line.value < by_line_.size()) by_line_[line.value].reset();
}

std::span<const LineValues::Found> LineValues::of(core::LineId line) const {
  const bool any = line.value < by_line_.size() && by_line_[line.value];
  return any ? std::span<const Found>(*by_line_[line.value]) : std::span<const Found>();
}

// Whether there are lines to look at; a change that came meanwhile begins it anew.
bool LineValues::goes_on() {
  if (is_woken_.load(std::memory_order_relaxed)) is_woken_ = false;
  if (at_ != end_) return true;
  const std::uint64_t version = values_.version();
  if (version == seen_) return false;
  seen_ = version;
  at_ = 0;
  end_ = table_.slots();
  return true;
}

std::uint32_t LineValues::differing(core::LineId line, std::span<const std::size_t> limits) {
  const std::span<const Found> known = of(line);
  table_.read_keys(line, keys_);
  std::uint32_t which = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Found now = values_.find(limits[i], keys_[i]);
    if (now != (known.empty() ? nullptr : known[i])) which |= 1u << i;
  }
  return which;
}

}  // namespace einlass::app
