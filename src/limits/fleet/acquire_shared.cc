#include "limits/fleet/acquire_shared.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "limits/fleet/share_ask.h"
#include "limits/permits/looks.h"
#include "units/check.h"

namespace einlass::limits {
namespace {

using Booked = std::span<const Duration>;

// The looks of one ask, and what it has booked so far.
class Booking {
 public:
  Booking(std::span<const Charge> charges, std::size_t shared, Duration horizon, Instant now,
          std::span<Duration> due)
      : looks_(charges, now), shared_(shared), horizon_(horizon), now_(now), due_(due) {}

  std::int64_t count() const { return count_; }

  // The bucket that has the next permit last, and after the horizon; none if all have it before.
  std::optional<std::size_t> late() {
    std::optional<std::size_t> late;
    next_ = now_;
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      const Instant at = looks_.at(i, [&](const auto& look) { return look.reach(booked(), 1); });
      if (at <= next_) continue;
      next_ = at;
      if (at > now_ + horizon_) late = i;
    }
    return late;
  }

  // Whether the shared bucket has so many units more behind the next permit.
  bool leaves(std::int64_t units) {
    return looks_.at(shared_, [&](const auto& look) -> bool {
      if constexpr (requires { look.behind(booked(), units); }) {
        return look.behind(booked(), units) <= now_ + horizon_;
      } else {
        return false;
      }
    });
  }

  // When an ask would get the next permit, and leave as much.
  std::optional<Instant> soonest(std::int64_t units) {
    std::optional<Instant> soonest = now_;
    for (std::size_t i = 0; i < looks_.size() && soonest; ++i) {
      const auto at = looks_.at(i, [&](const auto& look) -> std::optional<Instant> {
        if constexpr (requires { look.soonest_behind(booked(), units, horizon_); }) {
          if (i == shared_) return look.soonest_behind(booked(), units, horizon_);
        }
        if constexpr (requires { look.soonest(booked(), 1, horizon_); }) {
          return look.soonest(booked(), 1, horizon_);
        } else {
          return look.reach(booked(), 1) - horizon_;
        }
      });
      soonest = at ? std::optional(std::max(*soonest, *at)) : std::nullopt;
    }
    return soonest;
  }

  // REQUIRES: late() was asked just before, and none was.
  void book() {
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      looks_.at(i, [&](auto& look) { look.book(next_); });
    }
    due_[static_cast<std::size_t>(count_++)] = next_ - now_;
  }
  void pay(const IdPrefix& prefix) {
    for (std::size_t i = 0; count_ > 0 && i < looks_.size(); ++i) {
      looks_.at(i, [&](auto& look) { look.pay(booked(), prefix); });
    }
  }

 private:
  Booked booked() const { return due_.first(static_cast<std::size_t>(count_)); }

  Looks looks_;
  std::size_t shared_;
  Duration horizon_;
  Instant now_, next_;
  std::span<Duration> due_;
  std::int64_t count_ = 0;
};

// The first bucket that can never grant a permit.
std::optional<std::size_t> never(std::span<const Charge> charges, Duration horizon, Instant now) {
  Looks looks(charges, now);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const bool ever =
        looks.possible(i) && looks.at(i, [&](const auto& look) { return look.ever(1, horizon); });
    if (!ever) return i;
  }
  return std::nullopt;
}

Duration ahead_of(std::span<const Charge> charges, Duration horizon) {
  for (const Charge& charge : charges) {
    horizon = std::min(horizon, most_ahead(*charge.parameters));
  }
  return horizon;
}

}  // namespace

bool can_be_shared(const Parameters& parameters) {
  return with(parameters, [](const auto& p, const auto& limit) {
    using Its = decltype(look(p, std::declval<KeptFor<std::remove_cvref_t<decltype(p)>>&>(),
                               Permits{}, Instant{}));
    return requires(const Its& it) { it.behind({}, 0); } && ahead(limit).grants;
  });
}

Answer acquire_shared(std::span<const Charge> charges, std::size_t shared, FleetShare& share,
                      const ShareDemand& of_flows, const Demand& demand, Instant now,
                      std::span<Duration> due, ToldFlows& told) {
  CHECK(shared < charges.size() && demand.max.value <= std::ssize(due));
  const Duration horizon = ahead_of(charges, demand.horizon);
  ShareAsk ask(share, of_flows, charges[shared].cost, now);
  Answer answer{{0}, {}, 0, horizon};
  told.held_up = HeldUp::no;
  told.flow.clear();
  if (const auto impossible = never(charges, horizon, now)) {
    answer.reason = *impossible;
    ask.end({}, false, told);
    return answer;
  }
  Booking booking(charges, shared, horizon, now, due);
  bool waits_here = true;
  while (booking.count() < demand.max.value) {
    const std::optional<std::size_t> flow = ask.next(now);
    if (!flow) break;
    std::optional<std::size_t> late = booking.late();
    if (!late && !booking.leaves(ask.left_for_others(*flow, now))) {
      late = shared;
      const bool by_own = booking.leaves(ask.left_for_others(*flow, now, false));
      told.held_up = by_own ? HeldUp::by_own : HeldUp::by_gates;
    }
    if (late) {
      answer.reason = *late;
      const auto at = [&](std::int64_t units) { return booking.soonest(units); };
      answer.retry = ask.retry(at) - now;
      waits_here = *late == shared;
      break;
    }
    booking.book();
    told.flow.push_back(static_cast<std::uint16_t>(*flow));
    ask.take(*flow);
  }
  booking.pay(demand.prefix);
  answer.granted = {booking.count()};
  ask.end(answer.retry, waits_here, told);
  return answer;
}

void tell_again(FleetShare& share, const ShareDemand& of_flows, Permits cost, Instant now,
                ToldFlows& told) {
  ShareAsk(share, of_flows, cost, now).tell(told);
}

}  // namespace einlass::limits
