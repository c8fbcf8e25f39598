#include "app/views/allowed.h"

#include <variant>

namespace einlass::app {
namespace {

double number(Permits permits) { return static_cast<double>(permits.value); }

// Those that count so many in a window.
template <class Windowed>
Allowed in_window(const Windowed& it) {
  return {number(it.limit), number(it.limit) * 1e6 / static_cast<double>(it.window.us)};
}

double per_second(limits::Rate rate) {
  return static_cast<double>(rate.permits) * 1e6 / static_cast<double>(rate.micros);
}

Allowed allowed(const limits::SlidingLogParameters& it) {
  const Allowed all = in_window(it);
  return it.burst.value > 0 ? Allowed{number(it.burst), all.per_second} : all;
}
Allowed allowed(const limits::FixedWindowParameters& it) { return in_window(it); }
Allowed allowed(const limits::CounterParameters& it) { return in_window(it); }
Allowed allowed(const limits::SlidingWindowParameters& it) { return in_window(it); }
Allowed allowed(const limits::TokenBucketParameters& it) {
  return {number(it.burst), per_second(it.rate)};
}
Allowed allowed(const limits::LeakyBucketParameters& it) {
  return {it.queue ? 1 : number(it.capacity), per_second(it.rate)};
}
Allowed allowed(const limits::SmoothParameters& it) {
  return {number(it.burst), per_second(it.rate)};
}
Allowed allowed(const limits::WarmUpParameters& it) { return {1, per_second(it.rate)}; }
Allowed allowed(const limits::ConcurrencyParameters& it) { return {number(it.limit), {}}; }

}  // namespace

Allowed allowed_by(const limits::Parameters& parameters) {
  return std::visit([](const auto& it) { return allowed(it); }, parameters);
}

}  // namespace einlass::app
