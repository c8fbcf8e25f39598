#include "limits/windows/sliding_window.h"

#include "limits/windows/sliding_window_newest.h"

namespace einlass::limits {
namespace {

// The slice at the index `i`, with those behind it that lie in the same one since the slices have
// changed; sets `i` to the index after it.
Slice slice_from(const Slicing& slicing, const SlidingWindow& window, std::size_t& i) {
  const std::vector<Slice>& slices = window.slices;
  Slice slice = slices[i++];
  if (window.width == slicing.width()) return slice;
  for (; i < slices.size() && slicing.same(slice.last, slices[i].last); ++i) {
    slice = {slices[i].last, slice.count + slices[i].count};
  }
  return slice;
}

// Units in the slices that count at `at`.
std::int64_t taken(const Slicing& slicing, const SlidingWindow& window, Instant at) {
  const Instant oldest = slicing.oldest(at);
  std::int64_t units = 0;
  for (std::size_t i = 0; i < window.slices.size();) {
    const Slice slice = slice_from(slicing, window, i);
    if (slice.last >= oldest) units += slice.count;
  }
  return units;
}

// The slice of that instant, if there is one that counts at `at`.
const Slice* find(const Slicing& slicing, const SlidingWindow& window, Instant of, Instant at) {
  const Instant oldest = slicing.oldest(at);
  for (std::size_t i = 0; i < window.slices.size();) {
    const Slice slice = slice_from(slicing, window, i);
    if (slicing.same(slice.last, of)) return slice.last >= oldest ? &window.slices[i - 1] : nullptr;
  }
  return nullptr;
}

// Forgets the slices that do not count at `at`, and what the newest one knows if it is closed then.
void settle(const Slicing& slicing, SlidingWindow& window, Instant at) {
  const Instant oldest = slicing.oldest(at);
  std::vector<Slice>& slices = window.slices;
  if (window.width != slicing.width() || (!slices.empty() && slices.front().last < oldest)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slices.size();) {
      const Slice slice = slice_from(slicing, window, i);
      if (slice.last >= oldest) slices[kept++] = slice;
    }
    slices.resize(kept);
    window.width = slicing.width();
  }
  if (slices.empty() || !slicing.same(slices.back().last, at)) close_newest(window);
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
  std::int64_t known = 0;
  for (const Returned& permit : returned) {
    if (find(slicing, window, permit.at, at) == nullptr) continue;
    const bool open = parameters.log_newest && slicing.same(permit.at, at);
    if (open && !forget_newest(window, permit.id)) continue;
    ++known;
    settle(slicing, window, at);
    Slice& slice = window.slices[static_cast<std::size_t>(find(slicing, window, permit.at, at) -
                                                          window.slices.data())];
    slice.count -= cost.value;
    if (open) slice.last = last_of_newest(window, slice.last);
    if (slice.count > 0) continue;
    if (open) close_newest(window);
    window.slices.erase(window.slices.begin() + (&slice - window.slices.data()));
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
      log_newest_(parameters.log_newest),
      limit_(parameters.limit.value),
      cost_(cost.value),
      at_(std::max(now, window.last)),
      taken_(taken(slicing_, window, at_)) {}

// When so many units more have left, of those taken and of those that this ask has booked: what is
// booked moves the newest slice's last instant on. REQUIRES: there are as many.
Instant SlidingWindowLook::freed(std::int64_t units, bool booked) const {
  const Instant oldest = slicing_.oldest(at_);
  for (std::size_t i = 0; i < window_.slices.size();) {
    const Slice slice = slice_from(slicing_, window_, i);
    if (slice.last < oldest) continue;
    if (booked && slicing_.same(slice.last, at_)) break;
    units -= slice.count;
    if (units <= 0) return slicing_.leaves(slice.last);
  }
  return slicing_.leaves(at_);
}

void SlidingWindowLook::pay(std::span<const Duration> booked, const IdPrefix& prefix) {
  settle(slicing_, window_, at_);
  std::vector<Slice>& slices = window_.slices;
  if (slices.empty() || !slicing_.same(slices.back().last, at_)) slices.push_back({at_, 0});
  slices.back() = {at_, slices.back().count + booked_};
  window_.last = at_;
  if (log_newest_) remember_newest(window_, at_, booked.size(), prefix);
}

}  // namespace einlass::limits
