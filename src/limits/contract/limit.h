// What every limiter promises, and the numbers that describe one. The arithmetic of each algorithm
// is in a file of its own; src/adapters/memory keeps their state in this process, lua/ in Redis.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include "units/id.h"
#include "units/time.h"

namespace einlass::limits {

// Lua counts in doubles, so every whole number of a limiter's state stays below this.
inline constexpr std::int64_t kExactBelow = std::int64_t{1} << 53;

// A rate as a reduced fraction: `permits` in `micros` microseconds. Levels of a bucket are kept in
// 1/micros permits, so a microsecond adds `permits` and one permit takes `micros`: nothing is
// rounded.
struct Rate {
  std::int64_t permits = 1;
  std::int64_t micros = 1;

  constexpr bool operator==(const Rate&) const = default;
};

// The rate divided by the greatest common divisor. REQUIRES: permits >= 0, micros > 0.
Rate reduced(Rate rate);

// Each set of parameters says what its algorithm is called in lua/ (`script`), and lists its
// numbers in the order in which that takes them (`kNumbers`). Two take something else, which is
// made of these where a call is written (src/adapters/redis/calls/line.cc): a sliding log that
// keeps distances has another script, which takes the distances, and a fixed window takes also
// where its key's windows begin.

// Never more than `limit` permits in (t - window, t], for every t. Articles 001 and 003, section 2.
struct SlidingLogParameters {
  Permits limit;
  Duration window;
  // Permits that are due later than now come over this part of the window, in hundredths of it,
  // instead of all together; 0 = together.
  int even = 0;
  Permits burst{};  // At most so many at once, also from idle; 0 = as many as the limit.
  static constexpr std::tuple kNumbers{&SlidingLogParameters::limit, &SlidingLogParameters::window,
                                       &SlidingLogParameters::even, &SlidingLogParameters::burst};
  std::string_view script() const { return "sliding_log"; }
  bool operator==(const SlidingLogParameters&) const = default;
};

// At most burst + rate * W permits in any W. Articles 002, 003 section 5, and 004.
struct TokenBucketParameters {
  Rate rate;
  Permits burst;
  bool starts_empty = false;  // Otherwise full.
  static constexpr std::tuple kNumbers{&TokenBucketParameters::rate, &TokenBucketParameters::burst};
  std::string_view script() const { return starts_empty ? "token_bucket_empty" : "token_bucket"; }
  bool operator==(const TokenBucketParameters&) const = default;
};

// At most `limit` permits in each window; so twice that across an edge. Article 003, section 1.
struct FixedWindowParameters {
  Permits limit;
  Duration window;
  bool by_key = false;  // Each key's windows begin elsewhere; otherwise all begin with 1970.
  static constexpr std::tuple kNumbers{&FixedWindowParameters::limit,
                                       &FixedWindowParameters::window};
  std::string_view script() const { return "fixed_window"; }
  bool operator==(const FixedWindowParameters&) const = default;
};

// At most `limit` permits in a window, which opens with its first permit. Article 002.
struct CounterParameters {
  Permits limit;
  Duration window;
  static constexpr std::tuple kNumbers{&CounterParameters::limit, &CounterParameters::window};
  std::string_view script() const { return "counter"; }
  bool operator==(const CounterParameters&) const = default;
};

// Never more than `limit` permits in (t - window, t], counted in slices of the window. Article 003,
// section 3.1; with log_newest, which gives back up to a slice of throughput, section 3.2.
struct SlidingWindowParameters {
  Permits limit;
  Duration window;
  int slices = 10;
  bool log_newest = false;
  static constexpr std::tuple kNumbers{&SlidingWindowParameters::limit,
                                       &SlidingWindowParameters::window,
                                       &SlidingWindowParameters::slices};
  std::string_view script() const {
    return log_newest ? "sliding_window_newest" : "sliding_window";
  }
  bool operator==(const SlidingWindowParameters&) const = default;
};

// Article 003, section 4. As a meter: at most capacity + rate * W permits in any W. As a queue: the
// permits are 1/rate apart, and at most `capacity` wait for their turn.
struct LeakyBucketParameters {
  Rate rate;
  Permits capacity;
  bool queue = false;
  static constexpr std::tuple kNumbers{&LeakyBucketParameters::rate,
                                       &LeakyBucketParameters::capacity};
  std::string_view script() const { return queue ? "leaky_queue" : "leaky_meter"; }
  bool operator==(const LeakyBucketParameters&) const = default;
};

// At most burst + rate * W permits in any W, kept as one instant. ITU-T I.371, virtual scheduling.
struct GcraParameters {
  Rate rate;
  Permits burst;
  static constexpr std::tuple kNumbers{&GcraParameters::rate, &GcraParameters::burst};
  std::string_view script() const { return "gcra"; }
  bool operator==(const GcraParameters&) const = default;
};

// Reservations that wait for at most `timeout`. Article 002 (Guava). As a token bucket; where the
// next one pays, a permit is due as soon as those before it are paid: up to one permit's cost more.
struct SmoothParameters {
  Rate rate;
  Permits burst;
  Duration timeout;
  bool pay_next = false;
  static constexpr std::tuple kNumbers{&SmoothParameters::rate, &SmoothParameters::burst,
                                       &SmoothParameters::timeout, &SmoothParameters::pay_next};
  std::string_view script() const { return "smooth"; }
  bool operator==(const SmoothParameters&) const = default;
};

// Reservations from a limiter that idled for `warm_up` come at a third of the rate at first, and
// speed up over that time. Article 002 (Guava's warm-up).
struct WarmUpParameters {
  Rate rate;
  Duration timeout;
  Duration warm_up;
  static constexpr std::tuple kNumbers{&WarmUpParameters::rate, &WarmUpParameters::timeout,
                                       &WarmUpParameters::warm_up};
  std::string_view script() const { return "warm_up"; }
  bool operator==(const WarmUpParameters&) const = default;
};

// Never more than `limit` permits held at once; a permit ends with its attempt, or at the latest
// `lease` after its instant. The aim of article 001.
struct ConcurrencyParameters {
  Permits limit;
  Duration lease;
  static constexpr std::tuple kNumbers{&ConcurrencyParameters::limit,
                                       &ConcurrencyParameters::lease};
  std::string_view script() const { return "concurrency"; }
  bool operator==(const ConcurrencyParameters&) const = default;
};

using Parameters =
    std::variant<SlidingLogParameters, TokenBucketParameters, FixedWindowParameters,
                 CounterParameters, SlidingWindowParameters, LeakyBucketParameters,
                 SmoothParameters, WarmUpParameters, ConcurrencyParameters, GcraParameters>;

// Calls f with each of the numbers, in their order. Not among them is a choice that the script's
// name says, as starts_empty, nor by_key of a fixed window: two that differ in these alone have the
// same numbers.
template <class P, class F>
void each_number(P& parameters, F&& f) {
  std::apply([&](auto... member) { (f(parameters.*member), ...); },
             std::remove_const_t<P>::kNumbers);
}

// One limit of the configuration, by its name there.
struct Limit {
  std::string name;
  Parameters parameters;
  Permits cost{1};                // What one delivery attempt takes, ...
  bool cost_from_record = false;  // ... unless its record says so: then `cost` is not used.
  bool by_flows = false;          // The flows of all who ask share it: asks say for which they are.
  bool operator==(const Limit&) const = default;
};

}  // namespace einlass::limits
