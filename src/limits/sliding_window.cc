#include "limits/sliding_window.h"

#include "limits/sliding_window_newest.h"

namespace einlass::limits {
namespace {

// The slice that begins at the place `i`, with those behind it that lie in the same one; sets `i`
// to the place after it.
Slice slice_from(const Slicing& slicing, const std::vector<Slice>& slices, std::size_t& i) {
  Slice slice = slices[i++];
  const std::int64_t index = slicing.index(slice.last);
  for (; i < slices.size() && slicing.index(slices[i].last) == index; ++i) {
    slice = {slices[i].last, slice.count + slices[i].count};
  }
  return slice;
}

// Units in the slices that count at `at`.
std::int64_t taken(const Slicing& slicing, const SlidingWindow& window, Instant at) {
  std::int64_t units = 0;
  for (std::size_t i = 0; i < window.slices.size();) {
    const Slice slice = slice_from(slicing, window.slices, i);
    if (slicing.leaves(slice.last) > at) units += slice.count;
  }
  return units;
}

// Forgets the slices that do not count at `at`, and what the newest one knows if it is closed then.
void settle(const Slicing& slicing, SlidingWindow& window, Instant at) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < window.slices.size();) {
    const Slice slice = slice_from(slicing, window.slices, i);
    if (slicing.leaves(slice.last) > at) window.slices[kept++] = slice;
  }
  window.slices.resize(kept);
  const bool open = kept > 0 && slicing.index(window.slices.back().last) == slicing.index(at);
  if (!open) close_newest(window);
}

}  // namespace

Permits peek(const SlidingWindowParameters& parameters, const SlidingWindow& window, Instant now) {
  if (window.last > now) return {0};  // Whatever is free is for later.
  const std::int64_t units = taken(Slicing(parameters), window, now);
  return {std::max<std::int64_t>(0, parameters.limit.value - units)};
}

std::int64_t give_back(const SlidingWindowParameters& parameters, SlidingWindow& window,
                       Permits cost, std::span<const Returned> returned, Instant now) {
  const Slicing slicing(parameters);
  const Instant at = std::max(now, window.last);
  settle(slicing, window, at);
  std::int64_t known = 0;
  for (const Returned& permit : returned) {
    const std::int64_t index = slicing.index(permit.at);
    const auto slice = std::find_if(window.slices.begin(), window.slices.end(),
                                    [&](const Slice& s) { return slicing.index(s.last) == index; });
    if (slice == window.slices.end()) continue;
    const bool open = parameters.log_newest && index == slicing.index(at);
    if (open && !forget_newest(window, permit.id, slice->last)) continue;
    ++known;
    slice->count -= cost.value;
    if (slice->count <= 0) window.slices.erase(slice);
  }
  return known;
}

bool is_fresh(const SlidingWindowParameters& parameters, const SlidingWindow& window, Instant now) {
  return window.last <= now && taken(Slicing(parameters), window, now) == 0;
}

SlidingWindowLook::SlidingWindowLook(const SlidingWindowParameters& parameters,
                                     SlidingWindow& window, Permits cost, Instant now)
    : window_(window),
      slicing_(parameters),
      limit_(parameters.limit.value),
      cost_(cost.value),
      log_newest_(parameters.log_newest),
      at_(std::max(now, window.last)),
      taken_(taken(slicing_, window, at_)) {}

// When so many units more have left, of those taken and of those that this ask has booked.
// REQUIRES: there are as many.
Instant SlidingWindowLook::freed(std::int64_t units, bool booked) const {
  for (std::size_t i = 0; i < window_.slices.size();) {
    const Slice slice = slice_from(slicing_, window_.slices, i);
    if (slicing_.leaves(slice.last) <= at_) continue;
    if (booked && slicing_.index(slice.last) == slicing_.index(at_)) break;
    units -= slice.count;
    if (units <= 0) return slicing_.leaves(slice.last);
  }
  return slicing_.leaves(at_);
}

void SlidingWindowLook::pay(std::span<const Duration> booked, const IdPrefix& prefix) {
  settle(slicing_, window_, at_);
  const std::int64_t units = static_cast<std::int64_t>(booked.size()) * cost_;
  if (!window_.slices.empty() &&
      slicing_.index(window_.slices.back().last) == slicing_.index(at_)) {
    window_.slices.back() = {at_, window_.slices.back().count + units};
  } else {
    window_.slices.push_back({at_, units});
  }
  window_.last = at_;
  if (log_newest_) remember_newest(window_, at_, booked.size(), prefix);
}

}  // namespace einlass::limits
