#include "limits/permits/state.h"

#include <algorithm>

#include "limits/permits/refusal.h"
#include "limits/permits/with.h"

namespace einlass::limits {

Permits most_cost(const Parameters& parameters) {
  return std::visit([](const auto& p) { return most_cost(p); }, parameters);
}

Traits traits(const Parameters& parameters) {
  return std::visit([](const auto& p) { return traits(p); }, parameters);
}

bool grants_ahead(const Parameters& parameters) {
  return std::visit([](const auto& p) { return ahead(p).grants; }, parameters);
}

Duration most_ahead(const Parameters& parameters) {
  return std::visit([](const auto& p) { return ahead(p).most; }, parameters);
}

namespace {

Duration time_of(Rate rate, Permits permits) {
  if (rate.permits == 0) return kLongestWindow;
  const __int128 us = static_cast<__int128>(permits.value) * rate.micros / rate.permits + 1;
  return us < kLongestWindow.us ? Duration{static_cast<std::int64_t>(us)} : kLongestWindow;
}

struct RefillTime {
  // One with a rate is full again, of the others a window is over.
  template <class P>
  Duration operator()(const P& p) const {
    if constexpr (requires { p.rate; }) {
      return time_of(p.rate, p.burst);
    } else {
      return p.window;
    }
  }
  // Its slices are counted to the end of the one that they are in.
  Duration operator()(const SlidingWindowParameters& p) const { return p.window * 2; }
  Duration operator()(const LeakyBucketParameters& p) const { return time_of(p.rate, p.capacity); }
  Duration operator()(const SmoothParameters& p) const {
    return p.pay_next ? kLongestWindow : time_of(p.rate, p.burst);
  }
  Duration operator()(const WarmUpParameters&) const { return kLongestWindow; }
  Duration operator()(const ConcurrencyParameters& p) const { return p.lease; }
};

}  // namespace

bool may_grant_nothing(const Parameters& parameters) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.rate; }) return p.rate.permits == 0;
        return false;
      },
      parameters);
}

Duration refill_time(const Parameters& parameters) { return std::visit(RefillTime{}, parameters); }

State fresh(const Parameters& parameters, std::string_view key) {
  return with(parameters, [key](const auto& p, const auto&) { return State(fresh(p, key)); });
}

Permits peek(const Parameters& parameters, const State& state, Instant now) {
  return with(parameters,
              [&](const auto& p, const auto&) { return peek(p, state_of(p, state), now); });
}

bool is_fresh(const Parameters& parameters, const State& state, Instant now) {
  return with(parameters,
              [&](const auto& p, const auto&) { return is_fresh(p, state_of(p, state), now); });
}

std::int64_t release(std::span<const Charge> charges, std::span<const Returned> returned,
                     Instant now) {
  auto known = static_cast<std::int64_t>(returned.size());
  for (const Charge& charge : charges) {
    const bool possible = Permits{1} <= charge.cost && charge.cost <= most_cost(*charge.parameters);
    known =
        std::min(known, !possible ? 0 : with(*charge.parameters, [&](const auto& p, const auto&) {
                   return give_back(p, state_of(p, *charge.state), charge.cost, returned, now);
                 }));
  }
  return known;
}

void ended(std::span<const Charge> charges, std::span<const PermitId> ids, Instant now) {
  for (const Charge& charge : charges) {
    with(*charge.parameters, [&](const auto& p, const auto& limit) {
      if (!traits(limit).held) return;
      for (const PermitId& id : ids) {
        const Returned permit{id, now};
        give_back(p, state_of(p, *charge.state), charge.cost, {&permit, 1}, now);
      }
    });
  }
}

}  // namespace einlass::limits
