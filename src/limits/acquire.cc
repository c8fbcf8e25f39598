#include "limits/acquire.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "units/check.h"

namespace einlass::limits {
namespace {

// What one ask sees and books of one bucket. Each look has
//   ever(n)             whether n permits of this cost could ever be granted to one ask,
//   reach(booked, n)    when n more could be had, after those that this ask has booked
//                       (REQUIRES: ever(n), and ever(booked + n) unless n is 1),
//   book(at)            books the next permit (REQUIRES: not before reach(booked, 1)),
//   pay(booked, prefix) writes what was booked.
using Look = std::variant<SlidingLogLook, TokenBucketLook>;

static_assert(std::variant_size_v<Parameters> == std::variant_size_v<State>);
static_assert(std::variant_size_v<Parameters> == std::variant_size_v<Look>);

// Calls f(parameters, state) with the types of the charge's algorithm.
template <std::size_t I = 0, class S, class F>
auto with(const Parameters& parameters, S& state, F&& f) {
  if constexpr (I + 1 < std::variant_size_v<Parameters>) {
    if (parameters.index() != I) return with<I + 1>(parameters, state, std::forward<F>(f));
  }
  CHECK(parameters.index() == state.index());
  return f(*std::get_if<I>(&parameters), *std::get_if<I>(&state), std::in_place_index<I>);
}

// The looks of one ask, in the order of its charges.
class Looks {
 public:
  Looks(std::span<const Charge> charges, Instant now) : size_(charges.size()) {
    CHECK(size_ >= 1 && size_ <= kMostBuckets);
    for (std::size_t i = 0; i < size_; ++i) open(charges[i], now, slots_[i]);
  }

  std::size_t size() const { return size_; }

  template <class F>
  auto at(std::size_t i, F&& f) {
    return call(slots_[i].look, f);
  }

  bool grants_ahead() {
    return all([](const auto& look) { return look.kGrantsAhead; });
  }

  template <class F>
  bool all(F&& f) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!at(i, f)) return false;
    }
    return true;
  }

 private:
  // Room for a look that is there only once it is opened: clearing all of it first would take as
  // long as the decision itself.
  union Slot {
    Slot() {}
    Look look;
  };
  static_assert(std::is_trivially_destructible_v<Look>);

  static void open(const Charge& charge, Instant now, Slot& slot) {
    with(*charge.parameters, *charge.state, [&](auto& parameters, auto& state, auto place) {
      std::construct_at(&slot.look, place, parameters, state, charge.cost, now);
    });
  }
  template <std::size_t I = 0, class F>
  static auto call(Look& look, F& f) {
    if constexpr (I + 1 < std::variant_size_v<Look>) {
      if (look.index() != I) return call<I + 1>(look, f);
    }
    return f(*std::get_if<I>(&look));
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

// When this ask could have `more` permits than it has booked, whatever the horizon. All buckets
// being large enough, they do not delay each other: it is the latest of what each would say alone.
Instant reach(Looks& looks, std::span<const Duration> booked, std::int64_t more, Instant now) {
  Instant latest = now;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    latest =
        std::max(latest, looks.at(i, [&](const auto& look) { return look.reach(booked, more); }));
  }
  return latest;
}

}  // namespace

Answer acquire(std::span<const Charge> charges, const Demand& demand, Instant now,
               std::span<Duration> due) {
  const std::int64_t min = demand.min.value;
  const std::int64_t max = demand.max.value;
  CHECK(1 <= min && min <= max && max <= kMostPermitsOfAnAsk &&
        max <= static_cast<std::int64_t>(due.size()));
  Looks looks(charges, now);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (!looks.at(i, [&](const auto& look) { return look.ever(min); })) return {{0}, {}, i};
  }

  const Duration horizon = looks.grants_ahead() ? demand.horizon : Duration{};
  const Instant latest = now + horizon;
  std::int64_t granted = 0;
  Next next;
  while (granted < max) {
    next = next_permit(looks, due.first(static_cast<std::size_t>(granted)), now, latest);
    if (next.late != kMostBuckets) break;
    looks.all([&](auto& look) { return look.book(next.at), true; });
    due[static_cast<std::size_t>(granted++)] = next.at - now;
  }

  const std::span<const Duration> booked = due.first(static_cast<std::size_t>(granted));
  if (granted < min) {
    return {{0}, reach(looks, booked, min - granted, now) - latest, next.late};
  }
  looks.all([&](auto& look) { return look.pay(booked, demand.prefix), true; });
  if (granted == max) return {{granted}, {}, 0};
  return {{granted}, next.at - latest, next.late};
}

std::int64_t release(std::span<const Charge> charges, std::span<const PermitId> ids, Instant now) {
  auto known = static_cast<std::int64_t>(ids.size());
  for (const Charge& charge : charges) {
    known = std::min(
        known, with(*charge.parameters, *charge.state, [&](auto& parameters, auto& state, auto) {
          return give_back(parameters, state, charge.cost, ids, now);
        }));
  }
  return known;
}

State fresh(const Parameters& parameters) {
  return std::visit([](const auto& p) { return State(fresh(p)); }, parameters);
}

Permits peek(const Parameters& parameters, const State& state, Instant now) {
  return with(parameters, state,
              [now](auto& p, auto& bucket, auto) { return peek(p, bucket, now); });
}

bool is_fresh(const Parameters& parameters, const State& state, Instant now) {
  return with(parameters, state,
              [now](auto& p, auto& bucket, auto) { return is_fresh(p, bucket, now); });
}

}  // namespace einlass::limits
