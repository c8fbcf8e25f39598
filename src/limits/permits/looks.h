// The looks of one ask at its buckets, whatever their algorithms. For src/limits alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "limits/contract/algorithm.h"
#include "limits/permits/acquire.h"
#include "limits/permits/automata.h"
#include "limits/permits/state.h"
#include "limits/permits/with.h"
#include "units/check.h"
#include "units/time.h"

namespace einlass::limits {

// What is the same for all buckets of an ask.
class Together {
 public:
  // How far ahead all of them book.
  const Ahead& ahead() const { return ahead_; }

  // Whether the cost of a permit is one that the bucket can count.
  bool possible(std::size_t i) const { return (possible_ >> i & 1) != 0; }

 protected:
  // Takes note of a bucket; returns a cost that it can count.
  template <class P>
  Permits enter(std::size_t i, const P& parameters, Permits cost) {
    const Ahead one = limits::ahead(parameters);
    ahead_ = {ahead_.grants && one.grants, std::min(ahead_.most, one.most)};
    if (cost < Permits{1} || cost > most_cost(parameters)) return Permits{1};
    possible_ |= 1u << i;
    return cost;
  }

 private:
  Ahead ahead_ = kAnyTimeAhead;
  unsigned possible_ = 0;
};

// Becomes what f returns right where that is to live: to copy a look there would cost more than to
// make it.
template <class F>
struct InPlace {
  const F& f;
  operator decltype(std::declval<F>()())() const { return f(); }
};
template <class F>
InPlace(const F&) -> InPlace<F>;

// The looks of one ask, in the order of its charges.
class Looks : public Together {
 public:
  Looks(std::span<const Charge> charges, Instant now) : size_(charges.size()) {
    CHECK(size_ >= 1 && size_ <= kMostBuckets);
    for (std::size_t i = 0; i < size_; ++i) open(i, charges[i], now);
  }

  std::size_t size() const { return size_; }

  // Calls f with the look at that index.
  template <class F>
  decltype(auto) at(std::size_t i, F&& f) {
    return call(slots_[i].look, f);
  }

 private:
  // Room for a look that is there only once it is opened: clearing all of it first would take as
  // long as the decision itself.
  union Slot {
    Slot() {}
    Look look;
  };
  static_assert(std::is_trivially_destructible_v<Look>);

  // As std::visit, but without a table to jump by: most limits are of the first kinds.
  template <std::size_t I = 0, class F>
  static decltype(auto) call(Look& look, F& f) {
    if constexpr (I + 1 < std::variant_size_v<Look>) {
      if (look.index() != I) return call<I + 1>(look, f);
    }
    return f(*std::get_if<I>(&look));
  }

  void open(std::size_t i, const Charge& charge, Instant now) {
    with(*charge.parameters, [&](const auto& p, const auto& limit) {
      const Permits cost = enter(i, limit, charge.cost);
      const auto made = [&] { return look(p, state_of(p, *charge.state), cost, now); };
      std::construct_at(&slots_[i].look, std::in_place_type<decltype(made())>, InPlace{made});
    });
  }

  Slot slots_[kMostBuckets];
  std::size_t size_;
};

// The look of an ask for one bucket. That is most asks: all of it is done for its own type.
template <class P>
class OneLook : public Together {
 public:
  template <class L>
  OneLook(const P& p, const L& limit, const Charge& charge, Instant now)
      : look_(look(p, state_of(p, *charge.state), enter(0, limit, charge.cost), now)) {}

  static constexpr std::size_t size() { return 1; }
  template <class F>
  decltype(auto) at(std::size_t, F&& f) {
    return f(look_);
  }

 private:
  decltype(look(std::declval<P>(), std::declval<KeptFor<P>&>(), Permits{}, Instant{})) look_;
};

}  // namespace einlass::limits
