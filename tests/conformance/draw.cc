#include "conformance/draw.h"

#include "limits/refusal.h"
#include "limits/warm_up.h"

namespace einlass::conformance {

Permits Draw::limit() { return {one_in(4) ? pick(20, 300) : pick(1, 8)}; }

Duration Draw::window() { return {one_in(2) ? pick(1, 50) : pick(100, 5'000)}; }

limits::Rate Draw::rate() {
  if (one_in(30)) return {0, 1};
  return limits::reduced({pick(1, 20), one_in(2) ? pick(1, 40) : pick(50, 9'000)});
}

Permits Draw::capacity(limits::Rate rate, std::int64_t most_units) {
  return {one_in(50) ? most_units / rate.micros : pick(1, 12)};
}

limits::WarmUpParameters Draw::warm_up() {
  const limits::Rate r = rate();
  const std::int64_t longest = r.permits == 0 ? 9'000 : limits::kWarmUpBelow / r.permits - 1;
  return {r, {pick(0, 1) * pick(0, 40'000)}, {one_in(50) ? longest : pick(1, 20'000)}};
}

// With a burst permits keep a distance in windows of any length.
limits::SlidingLogParameters Draw::sliding_log() {
  const Permits most = limit();
  if (one_in(2)) return {most, window()};
  return {most, window(), static_cast<int>(pick(1, limits::kMostEven)), {pick(1, most.value)}};
}

limits::Parameters Draw::parameters(Kind kind) {
  constexpr std::int64_t kMostUnits = limits::kExactBelow - 1;
  const limits::Rate r = rate();
  switch (kind) {
    case Kind::sliding_log:
      return sliding_log();
    case Kind::token_bucket:
      return limits::TokenBucketParameters{r, capacity(r, kMostUnits)};
    case Kind::fixed_window:
      return limits::FixedWindowParameters{limit(), window(), one_in(2)};
    case Kind::counter:
      return limits::CounterParameters{one_in(50) ? Permits{limits::kMostCounted} : limit(),
                                       window()};
    case Kind::sliding_window:
    case Kind::sliding_window_newest:
      return limits::SlidingWindowParameters{limit(), window(), static_cast<int>(pick(1, 12)),
                                             kind == Kind::sliding_window_newest};
    case Kind::leaky_meter:
    case Kind::leaky_queue:
      return limits::LeakyBucketParameters{r, capacity(r, kMostUnits), kind == Kind::leaky_queue};
    case Kind::smooth:
      return limits::SmoothParameters{
          r, capacity(r, kMostUnits / 2), {pick(0, 1) * pick(0, 9'000)}, one_in(2)};
    case Kind::warm_up:
      return warm_up();
    case Kind::concurrency:
      return limits::ConcurrencyParameters{limit(), window()};
  }
  return {};
}

limits::Parameters Draw::changed(Kind kind, const limits::Parameters& before) {
  limits::Parameters result = one_in(4) ? before : parameters(kind);
  if (auto* log = std::get_if<limits::SlidingLogParameters>(&result)) {
    log->window = {pick(1, std::get<limits::SlidingLogParameters>(before).window.us)};
  } else if (auto* held = std::get_if<limits::ConcurrencyParameters>(&result)) {
    held->lease = {pick(1, std::get<limits::ConcurrencyParameters>(before).lease.us)};
  } else if (auto* window = std::get_if<limits::FixedWindowParameters>(&result)) {
    window->by_key = std::get<limits::FixedWindowParameters>(before).by_key;
  }
  return result;
}

}  // namespace einlass::conformance
