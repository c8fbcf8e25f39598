#include "limits/acquire.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "limits/with.h"
#include "units/check.h"

namespace einlass::limits {
namespace {

// What one ask sees and books of one bucket; see algorithm.h.
using Look = std::variant<SlidingLogLook, TokenBucketLook, CounterLook, SlidingWindowLook,
                          LeakyQueueLook, WarmUpLook>;

// The looks of one ask, in the order of its charges.
class Looks {
 public:
  Looks(std::span<const Charge> charges, Instant now) : size_(charges.size()) {
    CHECK(size_ >= 1 && size_ <= kMostBuckets);
    for (std::size_t i = 0; i < size_; ++i) open(charges[i], now, slots_[i]);
  }

  std::size_t size() const { return size_; }

  // Whether the cost of a permit is one that the bucket can count.
  bool possible(std::size_t i) const { return slots_[i].possible; }

  // How far ahead all of the buckets book.
  Ahead ahead() const {
    Ahead all = kAnyTimeAhead;
    for (std::size_t i = 0; i < size_; ++i) {
      const Ahead one = slots_[i].ahead;
      all = {all.grants && one.grants, std::min(all.most, one.most)};
    }
    return all;
  }

  template <class F>
  decltype(auto) at(std::size_t i, F&& f) {
    return std::visit(f, slots_[i].look);
  }
  template <class F>
  void each(F&& f) {
    for (std::size_t i = 0; i < size_; ++i) at(i, f);
  }

 private:
  // Room for a look that is there only once it is opened: clearing all of it first would take as
  // long as the decision itself.
  struct Slot {
    Slot() {}
    union {
      Look look;
    };
    Ahead ahead;
    bool possible;
  };
  static_assert(std::is_trivially_destructible_v<Look>);

  static void open(const Charge& charge, Instant now, Slot& slot) {
    with(*charge.parameters, [&](const auto& p, const auto& limit) {
      slot.ahead = limits::ahead(limit);
      slot.possible = Permits{1} <= charge.cost && charge.cost <= most_cost(limit);
      const Permits cost = slot.possible ? charge.cost : Permits{1};
      std::construct_at(&slot.look, look(p, state_of(p, *charge.state), cost, now));
    });
  }

  Slot slots_[kMostBuckets];
  std::size_t size_;
};

// The instant of the next permit, and which bucket is the first to have it only after `latest`.
struct Next {
  Instant at;
  std::size_t late = kMostBuckets;
};

Next next_permit(Looks& looks, std::span<const Duration> booked, Instant now, Instant latest) {
  Next next{now};
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Instant at = looks.at(i, [&](const auto& look) { return look.reach(booked, 1); });
    if (at > latest && next.late == kMostBuckets) next.late = i;
    next.at = std::max(next.at, at);
  }
  return next;
}

// The permits that one ask has booked. due[i] is when permit i is due, from `now` on.
class Booking {
 public:
  Booking(Looks& looks, Instant now, Instant latest, std::span<Duration> due)
      : looks_(looks), now_(now), latest_(latest), due_(due) {}

  std::int64_t count() const { return count_; }
  std::span<const Duration> booked() const { return due_.first(static_cast<std::size_t>(count_)); }
  Next next() { return next_permit(looks_, booked(), now_, latest_); }
  void book(Instant at) {
    looks_.each([at](auto& look) { look.book(at); });
    due_[static_cast<std::size_t>(count_++)] = at - now_;
  }

 private:
  Looks& looks_;
  Instant now_, latest_;
  std::span<Duration> due_;
  std::int64_t count_ = 0;
};

// When `min` permits could be had at once. Each bucket alone is large enough for them, so they do
// not delay each other: it is the latest of what each would say alone.
Instant all_at_once(std::span<const Charge> charges, std::int64_t min, Instant now) {
  Looks looks(charges, now);
  Instant at = now;
  looks.each([&](const auto& look) { at = std::max(at, look.reach({}, min)); });
  return at;
}

}  // namespace

Answer acquire(std::span<const Charge> charges, const Demand& demand, Instant now,
               std::span<Duration> due) {
  const std::int64_t min = demand.min.value;
  const std::int64_t max = demand.max.value;
  CHECK(1 <= min && min <= max && max <= kMostPermitsOfAnAsk &&
        max <= static_cast<std::int64_t>(due.size()));
  Looks looks(charges, now);
  const Ahead ahead = looks.ahead();
  const Duration horizon = std::min(demand.horizon, ahead.most);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const bool ever =
        looks.possible(i) && looks.at(i, [&](const auto& look) { return look.ever(min, horizon); });
    if (!ever) return {{0}, {}, i};
  }

  const Instant latest = now + horizon;
  Booking booking(looks, now, latest, due);
  Next next;
  while (booking.count() < max) {
    next = booking.next();
    if (next.late != kMostBuckets) break;
    booking.book(next.at);
  }
  if (booking.count() >= min) {
    const std::span<const Duration> booked = booking.booked();
    looks.each([&](auto& look) { look.pay(booked, demand.prefix); });
    if (booking.count() == max) return {{max}, {}, 0};
    return {{booking.count()}, next.at - latest, next.late};
  }
  // Denied, with nothing written: when could it be had?
  if (!ahead.grants) return {{0}, all_at_once(charges, min, now) - latest, next.late};
  const std::size_t reason = next.late;
  booking.book(next.at);
  while (booking.count() < min) booking.book(booking.next().at);
  return {{0}, due[static_cast<std::size_t>(min - 1)] - horizon, reason};
}

}  // namespace einlass::limits
