#include "conformance/draw.h"

#include <algorithm>

#include "limits/permits/refusal.h"
#include "limits/rates/warm_up.h"
#include "units/check.h"

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

namespace {

constexpr std::int64_t kMostUnits = limits::kExactBelow - 1;

template <bool kNewest>
limits::Parameters sliced(Draw& d) {
  return limits::SlidingWindowParameters{d.limit(), d.window(), static_cast<int>(d.pick(1, 12)),
                                         kNewest};
}

template <bool kQueue>
limits::Parameters leaky(Draw& d) {
  const limits::Rate r = d.rate();
  return limits::LeakyBucketParameters{r, d.capacity(r, kMostUnits), kQueue};
}

// A rate and a burst.
template <class P>
limits::Parameters bucket(Draw& d) {
  const limits::Rate r = d.rate();
  return P{r, d.capacity(r, kMostUnits)};
}

limits::Parameters counter(Draw& d) {
  return limits::CounterParameters{d.one_in(50) ? Permits{limits::kMostCounted} : d.limit(),
                                   d.window()};
}

limits::Parameters smooth(Draw& d) {
  const limits::Rate r = d.rate();
  return limits::SmoothParameters{
      r, d.capacity(r, kMostUnits / 2), {d.pick(0, 1) * d.pick(0, 9'000)}, d.one_in(2)};
}

struct Drawn {
  Kind kind;
  limits::Parameters (*draw)(Draw&);
};

const Drawn kDrawn[] = {
    {"sliding_log", [](Draw& d) -> limits::Parameters { return d.sliding_log(); }},
    {"token_bucket", bucket<limits::TokenBucketParameters>},
    {"fixed_window",
     [](Draw& d) -> limits::Parameters {
       return limits::FixedWindowParameters{d.limit(), d.window(), d.one_in(2)};
     }},
    {"counter", counter},
    {"sliding_window", sliced<false>},
    {"sliding_window_newest", sliced<true>},
    {"leaky_meter", leaky<false>},
    {"leaky_queue", leaky<true>},
    {"smooth", smooth},
    {"warm_up", [](Draw& d) -> limits::Parameters { return d.warm_up(); }},
    {"gcra", bucket<limits::GcraParameters>},
    {"concurrency",
     [](Draw& d) -> limits::Parameters {
       return limits::ConcurrencyParameters{d.limit(), d.window()};
     }},
};

}  // namespace

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const Drawn& one : kDrawn) kinds.push_back(one.kind);
  return kinds;
}

limits::Parameters Draw::parameters(Kind kind) {
  const auto* found = std::ranges::find(kDrawn, kind, &Drawn::kind);
  CHECK(found != std::end(kDrawn));
  return found->draw(*this);
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
