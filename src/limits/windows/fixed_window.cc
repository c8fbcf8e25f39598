#include "limits/windows/fixed_window.h"

#include <algorithm>

#include "units/fnv1a.h"

namespace einlass::limits {
namespace {

Duration phase(const FixedWindowParameters& parameters, std::uint64_t key_hash) {
  if (!parameters.by_key) return {};
  return {static_cast<std::int64_t>(key_hash % static_cast<std::uint64_t>(parameters.window.us))};
}

// The end of the window that holds `at`.
Instant end_of(const FixedWindowParameters& parameters, std::uint64_t key_hash, Instant at) {
  const Duration begin = phase(parameters, key_hash);
  const std::int64_t length = parameters.window.us;
  const std::int64_t into = (at - begin).us % length;
  return at + Duration{(into < 0 ? 0 : length) - into};  // Below 0: before the first window.
}

CounterParameters as_counter(const FixedWindowParameters& parameters) {
  return {parameters.limit, parameters.window};
}

}  // namespace

Duration phase_of(const FixedWindowParameters& parameters, std::string_view key) {
  return phase(parameters, fnv1a(key));
}

FixedWindow fresh(const FixedWindowParameters&, std::string_view key) {
  return {Counter{}, fnv1a(key)};
}

Permits peek(const FixedWindowParameters& parameters, const FixedWindow& window, Instant now) {
  return peek(as_counter(parameters), window.counter, now);
}

std::int64_t give_back(const FixedWindowParameters& parameters, FixedWindow& window, Permits cost,
                       std::span<const Returned> returned, Instant now) {
  return give_back(as_counter(parameters), window.counter, cost, returned, now);
}

bool is_fresh(const FixedWindowParameters& parameters, const FixedWindow& window, Instant now) {
  return is_fresh(as_counter(parameters), window.counter, now);
}

CounterLook look(const FixedWindowParameters& parameters, FixedWindow& window, Permits cost,
                 Instant now) {
  const Instant at = std::max(now, window.counter.start);
  const Instant end = end_of(parameters, window.key_hash, at);
  return {window.counter, parameters.limit, cost, now, end, end};
}

}  // namespace einlass::limits
