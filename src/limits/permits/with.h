// Which automaton keeps a limit. For src/limits alone.
#pragma once

#include <string_view>
#include <utility>
#include <variant>

#include "limits/contract/limit.h"
#include "limits/permits/automata.h"
#include "units/check.h"

namespace einlass::limits {

template <class F>
struct ChooseAutomaton {
  F& f;

  // One that has an automaton of its own.
  template <class P>
  decltype(auto) operator()(const P& p) const {
    return f(p, p);
  }
  decltype(auto) operator()(const LeakyBucketParameters& p) const {
    return p.queue ? f(as_queue(p), p) : f(as_bucket(p), p);
  }
  decltype(auto) operator()(const SmoothParameters& p) const {
    return p.pay_next ? f(as_pay_next(p), p) : f(as_bucket(p), p);
  }
  decltype(auto) operator()(const ConcurrencyParameters& p) const { return f(as_log(p), p); }
};

// Calls f with the limit's parameters as its automaton takes them (see algorithm.h), and with those
// of the limit itself.
template <class F>
decltype(auto) with(const Parameters& parameters, F&& f) {
  return std::visit(ChooseAutomaton<F>{f}, parameters);
}

// The state that the automaton of these parameters keeps.
template <class P>
using KeptFor = decltype(fresh(std::declval<P>(), std::string_view{}));

template <class P, class S>
auto& state_of(const P&, S& state) {
  auto* found = std::get_if<KeptFor<P>>(&state);
  CHECK(found != nullptr);
  return *found;
}

}  // namespace einlass::limits
