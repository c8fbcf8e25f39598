#include "limits/permits/acquire.h"

#include <algorithm>

#include "limits/permits/looks.h"
#include "limits/permits/with.h"
#include "units/check.h"

namespace einlass::limits {
namespace {

// When an ask would get `more` permits of the bucket, due within the horizon, after those booked.
template <class L>
Instant soonest(const L& look, std::span<const Duration> booked, std::int64_t more,
                Duration horizon) {
  if constexpr (requires { look.soonest(booked, more, horizon); }) {
    return look.soonest(booked, more, horizon);
  } else {
    return look.reach(booked, more) - horizon;
  }
}

// The permits that one ask has booked. due[i] is when permit i is due, from `now` on.
template <class L>
class Booking {
 public:
  Booking(L& looks, Instant now, Instant latest, std::span<Duration> due)
      : looks_(looks), now_(now), latest_(latest), due_(due) {}

  std::int64_t count() const { return count_; }

  // Which bucket is the last to have the next permit, where that is after `latest`.
  std::size_t late() const { return late_; }

  // How long to wait until an ask gets that permit. REQUIRES: nothing is paid.
  Duration retry() {
    const Duration horizon = latest_ - now_;
    Instant at = now_;
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      at = std::max(
          at, looks_.at(i, [&](const auto& look) { return soonest(look, booked(), 1, horizon); }));
    }
    return at - now_;
  }

  // Looks for the next permit; true if it is not too late.
  bool look_on() {
    next_ = now_;
    late_ = kMostBuckets;
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      const Instant at = looks_.at(i, [&](const auto& look) { return look.reach(booked(), 1); });
      if (at <= next_) continue;
      next_ = at;
      if (at > latest_) late_ = i;
    }
    return late_ == kMostBuckets;
  }
  void book_next() {
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      looks_.at(i, [&](auto& look) { look.book(next_); });
    }
    due_[static_cast<std::size_t>(count_++)] = next_ - now_;
  }
  void pay(const IdPrefix& prefix) {
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      looks_.at(i, [&](auto& look) { look.pay(booked(), prefix); });
    }
  }

 private:
  std::span<const Duration> booked() const { return due_.first(static_cast<std::size_t>(count_)); }

  L& looks_;
  Instant now_, latest_;
  std::span<Duration> due_;
  std::int64_t count_ = 0;
  Instant next_;
  std::size_t late_ = kMostBuckets;
};

// When `min` permits could be had at once. Each bucket alone is large enough for them, so they do
// not delay each other: it is the latest of what each would say alone.
Instant all_at_once(std::span<const Charge> charges, std::int64_t min, Instant now) {
  Looks looks(charges, now);
  Instant latest = now;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    latest = std::max(
        latest, looks.at(i, [&](const auto& look) { return soonest(look, {}, min, Duration{}); }));
  }
  return latest;
}

// The next permit costs what it does. The first bucket that could never grant it; kMostBuckets if
// there is none. REQUIRES: the first permit could be granted some time.
template <class L>
std::size_t turn_to(L& looks, std::span<const Charge> charges, const Demand& demand,
                    std::size_t next) {
  const Permits cost = demand.costs[next];
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if ((demand.costly >> i & 1) == 0) continue;
    if (cost < Permits{1} || cost > most_cost(*charges[i].parameters)) return i;
    looks.at(i, [&](auto& look) { look.next(demand.costs.first(next + 1)); });
  }
  return kMostBuckets;
}

// Books as many as are due by `latest`, one after the other. Which bucket could never grant the one
// behind them; kMostBuckets if there is none, or nobody needs to know.
template <class L>
std::size_t book(L& looks, Booking<L>& booking, std::span<const Charge> charges,
                 const Demand& demand) {
  const std::int64_t max = demand.max.value;
  if (demand.costs.empty()) {
    while (booking.count() < max && booking.look_on()) booking.book_next();
    return kMostBuckets;
  }
  while (booking.count() < max) {
    const auto next = static_cast<std::size_t>(booking.count());
    const std::size_t never = turn_to(looks, charges, demand, next);
    if (never < kMostBuckets) return never;
    if (!booking.look_on()) break;
    booking.book_next();
  }
  return kMostBuckets;
}

template <class L>
Answer answer(L& looks, std::span<const Charge> charges, const Demand& demand, Instant now,
              std::span<Duration> due) {
  const std::int64_t min = demand.min.value;
  const std::int64_t max = demand.max.value;
  const Duration horizon = std::min(demand.horizon, looks.ahead().most);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const bool ever =
        looks.possible(i) && looks.at(i, [&](const auto& look) { return look.ever(min, horizon); });
    if (!ever) return {{0}, {}, i, horizon};
  }

  const Instant latest = now + horizon;
  Booking booking(looks, now, latest, due);
  const std::size_t never = book(looks, booking, charges, demand);
  if (never < kMostBuckets) {
    booking.pay(demand.prefix);
    return {{booking.count()}, {}, never, horizon};
  }
  if (booking.count() == max) {
    booking.pay(demand.prefix);
    return {{max}, {}, 0, horizon};
  }
  if (booking.count() >= min) {
    const Duration retry = booking.retry();
    booking.pay(demand.prefix);
    return {{booking.count()}, retry, booking.late(), horizon};
  }
  // Denied, with nothing written. When could it be had?
  const std::size_t reason = booking.late();
  if (!looks.ahead().grants) {
    return {{0}, all_at_once(charges, min, now) - now, reason, horizon};
  }
  while (booking.count() + 1 < min) {
    booking.book_next();
    booking.look_on();
  }
  return {{0}, booking.retry(), reason, horizon};
}

}  // namespace

Answer acquire(std::span<const Charge> charges, const Demand& demand, Instant now,
               std::span<Duration> due) {
  CHECK(1 <= demand.min.value && demand.min <= demand.max &&
        demand.max.value <= kMostPermitsOfAnAsk &&
        demand.max.value <= static_cast<std::int64_t>(due.size()));
  CHECK(demand.costs.empty() ||
        (demand.min.value == 1 && std::ssize(demand.costs) >= demand.max.value));
  if (charges.size() == 1) {
    return with(*charges[0].parameters, [&](const auto& p, const auto& limit) {
      OneLook one(p, limit, charges[0], now);
      return answer(one, charges, demand, now, due);
    });
  }
  Looks looks(charges, now);
  return answer(looks, charges, demand, now, due);
}

}  // namespace einlass::limits
