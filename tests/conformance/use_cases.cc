#include "conformance/use_cases.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "config/limits/pace.h"
#include "config/limits/parameters.h"

namespace einlass::conformance {
namespace {

using limits::ConcurrencyParameters;
using limits::CounterParameters;
using limits::FixedWindowParameters;
using limits::GcraParameters;
using limits::LeakyBucketParameters;
using limits::Parameters;
using limits::SlidingLogParameters;
using limits::SlidingWindowParameters;
using limits::SmoothParameters;
using limits::TokenBucketParameters;
using limits::WarmUpParameters;

constexpr limits::Rate kRate{1, 1'000};
constexpr Duration kApart = Duration::millis(1);  // At that rate.
constexpr Duration kLong = Duration::seconds(2);
constexpr Duration kHorizon = Duration::millis(500);
constexpr int kSlices = 10;

constexpr int kEven = config::kDefaultEven;

std::string text(std::int64_t number) { return std::to_string(number); }
std::string with_burst(std::int64_t burst) {
  return burst > 0 ? "burst_" + text(burst) + "_of_" : "";
}

// When all of the limit comes in bursts over nine tenths of the window.
limits::Spacing evenly(std::int64_t burst, std::int64_t limit, Duration window) {
  return {burst, Duration{window.us * 9 / 10 * burst / limit}};
}

// So many permits each `every`, of which those of the last round come at that pace.
std::int64_t in_rounds(Duration length, std::int64_t permits, Duration every,
                       limits::Spacing pace) {
  const Duration last = length - every * (length.us / every.us);
  const std::int64_t groups = (last.us + pace.apart.us - 1) / pace.apart.us;
  return length.us / every.us * permits + std::min(permits, groups * pace.units);
}

class Cases {
 public:
  explicit Cases(Duration length) : length_(length) {}

  void add(const std::vector<Parameters>& limits, UseCase added) {
    for (const Parameters& parameters : limits) {
      added.limits.push_back({"limit" + text(std::ssize(added.limits)), parameters, Permits{1}});
    }
    if (added.horizon > Duration{}) added.name += "_ahead_" + text(added.horizon.us / 1'000) + "ms";
    made.push_back(std::move(added));
  }

  // What saves up to `burst` permits at the rate.
  void add_bucket(std::string name, const Parameters& limit, std::int64_t burst, Duration horizon) {
    const bool one_by_one = horizon == Duration{};
    const Duration length = one_by_one ? length_ : kLong;
    add({limit}, {.name = std::move(name),
                  .horizon = horizon,
                  .length = length,
                  .allowed = burst - 1 + length.us / kApart.us,
                  .round = one_by_one && burst == 1 ? kApart : Duration{}});
  }

  // What allows so many permits each `every`.
  void add_window(std::string name, const Parameters& limit, std::int64_t permits, Duration every,
                  Duration round, Duration horizon = {}) {
    const std::int64_t rounds = (kLong.us + every.us - 1) / every.us;
    add({limit}, {.name = std::move(name) + text(permits),
                  .horizon = horizon,
                  .length = kLong,
                  .allowed = rounds * permits,
                  .round = round});
  }

  void add_smooth(std::int64_t burst, Duration timeout);
  void add_buckets(std::int64_t burst);
  void add_windows(std::int64_t limit);
  void add_even_log(std::int64_t limit, std::int64_t burst);
  void add_with_burst(std::string name, const Parameters& limit, std::int64_t burst,
                      Duration longer, Duration longer_evenly);
  void add_bursts(std::int64_t limit, std::int64_t burst);
  void add_queue(std::int64_t capacity);
  void add_warm_up(Duration timeout);
  void add_places(std::int64_t limit, bool keyed);
  void add_together();

  std::vector<UseCase> made;

 private:
  Duration length_;
};

// Where the next one pays there is one permit more at first.
void Cases::add_smooth(std::int64_t burst, Duration timeout) {
  for (const bool next : {false, true}) {
    add_bucket((next ? "smooth_next_" : "smooth_now_") + text(burst),
               SmoothParameters{kRate, Permits{burst}, timeout, next}, burst + next, timeout);
  }
}

void Cases::add_buckets(std::int64_t burst) {
  const Permits most{burst};
  for (const Duration horizon : {Duration{}, kHorizon}) {
    add_bucket("token_bucket_" + text(burst), TokenBucketParameters{kRate, most}, burst, horizon);
    add_bucket("gcra_" + text(burst), GcraParameters{kRate, most}, burst, horizon);
    // The first is due after the time that it takes, the one after the last as the length ends.
    add_bucket("token_bucket_empty_" + text(burst), TokenBucketParameters{kRate, most, true}, 1,
               horizon);
  }
  add_bucket("leaky_meter_" + text(burst), LeakyBucketParameters{kRate, most}, burst, {});
  for (const std::int64_t timeout : {0, 20, 1'000}) add_smooth(burst, Duration::millis(timeout));
}

void Cases::add_queue(std::int64_t capacity) {
  const LeakyBucketParameters queue{kRate, Permits{capacity}, true};
  for (const Duration horizon : {Duration{}, kHorizon}) {
    add({queue}, {.name = "leaky_queue_" + text(capacity),
                  .horizon = horizon,
                  .length = length_,
                  .allowed = length_.us / kApart.us,
                  .round = horizon == Duration{} ? kApart : Duration{}});
  }
}

void Cases::add_windows(std::int64_t limit) {
  const Permits most{limit};
  const Duration window = kApart * limit;
  const SlidingLogParameters log{most, window};
  add_window("sliding_log_", log, limit, window, window);
  add_window("sliding_log_", log, limit, window, {}, kHorizon);
  add_window("fixed_window_", FixedWindowParameters{most, window}, limit, window, {});
  add_window("counter_", CounterParameters{most, window}, limit, window, window);
  // A slice counts until all of it has left the window.
  add_window("sliding_window_", SlidingWindowParameters{most, window, kSlices}, limit,
             window + window / kSlices, {});
  add_window("sliding_window_newest_", SlidingWindowParameters{most, window, kSlices, true}, limit,
             window, window);
}

// As it is where nothing is said: what has to wait comes evenly. A burst of 0 is as much as the
// limit.
void Cases::add_even_log(std::int64_t limit, std::int64_t burst) {
  const Permits most{limit};
  const Duration window = kApart * limit;
  const SlidingLogParameters log{most, window, kEven, Permits{burst}};
  const std::string name = "sliding_log_even_" + with_burst(burst);
  add_window(name, log, limit, window, window);
  if (burst > 0) made.back().pace = evenly(burst, limit, window);
  add_window(name, log, limit, window, {}, kHorizon);
}

// With what keeps its burst behind it, evenly. What is taken counts that much longer than a window,
// and where several come evenly in one slice that much.
void Cases::add_with_burst(std::string name, const Parameters& limit, std::int64_t burst,
                           Duration longer, Duration longer_evenly) {
  config::Limit written;
  written.limit.parameters = limit;
  written.burst = Permits{burst};
  const std::int64_t permits = config::counted_limit(limit).value;
  const SlidingLogParameters log = *config::pace_of(written);
  const Duration window = kApart * permits;
  const limits::Spacing pace = evenly(burst, permits, window);
  const std::int64_t allowed = in_rounds(kLong, permits, window + longer, pace);
  const std::int64_t evenly = in_rounds(kLong, permits, window + longer_evenly, pace);
  const bool together = pace.apart * 2 <= longer_evenly;
  add({limit, log}, {.name = name + "_" + with_burst(burst) + text(permits),
                     .length = kLong,
                     .allowed = allowed,
                     .round = window + longer,
                     .pace = pace,
                     .lost_evenly = together ? allowed - evenly : 0});
}

void Cases::add_bursts(std::int64_t limit, std::int64_t burst) {
  const Permits most{limit};
  const Duration window = kApart * limit;
  const Duration slice = window / kSlices;
  const SlidingWindowParameters slices{most, window, kSlices};
  const SlidingWindowParameters newest{most, window, kSlices, true};
  add_even_log(limit, burst);
  add_with_burst("fixed_window", FixedWindowParameters{most, window}, burst, {}, {});
  add_with_burst("counter", CounterParameters{most, window}, burst, {}, {});
  add_with_burst("sliding_window", slices, burst, slice, slice);
  add_with_burst("sliding_window_newest", newest, burst, {}, slice);
}

// It begins cold: the first is due at once, and while it warms up half of the rate follows.
void Cases::add_warm_up(Duration timeout) {
  constexpr Duration kWarmUp = Duration::millis(40);
  const bool one_by_one = timeout == Duration{};
  add({WarmUpParameters{kRate, timeout, kWarmUp}},
      {.name = "smooth_warm_up",
       .horizon = timeout,
       .length = length_,
       .allowed = 1 + (length_ - kWarmUp / 2).us / kApart.us,
       .round = one_by_one ? kApart : Duration{}});
}

// A gate leaves a quarter of its places to other gates twice a second, and looks again for them
// after 20 ms at the latest.
void Cases::add_places(std::int64_t limit, bool keyed) {
  constexpr Duration kAttempt = Duration::millis(5);
  constexpr Duration kLeaves = Duration::millis(500);
  constexpr Duration kLooksAgain = Duration::millis(20);
  const Duration length = limit == 1 ? kLong : length_;
  add({ConcurrencyParameters{Permits{limit}, Duration::seconds(60)}},
      {.name = "concurrency_" + text(limit) + (keyed ? "_keyed" : ""),
       .keyed = keyed,
       .attempt = kAttempt,
       .length = length,
       .allowed = limit * (length.us / kAttempt.us),
       .round = kAttempt,
       .by_timer = false,
       .left_to_others = std::max<std::int64_t>(limit / 4, 1) * (length.us / kLeaves.us) *
                         (kLooksAgain.us / kAttempt.us)});
}

// Several limits: it is as much as the slowest allows, and as far ahead as the shortest reaches.
void Cases::add_together() {
  const TokenBucketParameters loose{{10, 1'000}, Permits{1'000}};
  const TokenBucketParameters bucket{kRate, Permits{50}};
  const LeakyBucketParameters queue{kRate, Permits{10}, true};
  const LeakyBucketParameters fast_queue{{10, 1'000}, Permits{10}, true};
  const SmoothParameters smooth{kRate, Permits{50}, Duration::millis(20), false};
  const SlidingLogParameters log{Permits{50}, Duration::millis(50)};
  const std::int64_t in_length = length_.us / kApart.us;
  const auto add_both = [&](std::string name, const std::vector<Parameters>& limits,
                            std::int64_t allowed) {
    for (const bool keyed : {false, true}) {
      add(limits, {.name = name + (keyed ? "_keyed" : ""),
                   .keyed = keyed,
                   .horizon = kHorizon,
                   .length = length_,
                   .allowed = allowed});
    }
  };
  add_both("loose_and_leaky_queue", {loose, queue}, in_length);
  add_both("fast_queue_and_token_bucket", {fast_queue, bucket}, in_length + 49);
  add_both("loose_and_sliding_log", {loose, log}, (in_length + 49) / 50 * 50);
  add_both("fast_queue_smooth_and_leaky_queue", {fast_queue, smooth, queue}, in_length);
  add_both("fast_queue_and_gcra", {fast_queue, GcraParameters{kRate, Permits{50}}}, in_length + 49);
  add_both("token_bucket_and_loose", {bucket, loose}, in_length + 49);
  // Where the limit with a key is the one that binds, nothing is asked for ahead.
  add({queue, loose}, {.name = "leaky_queue_keyed_and_loose",
                       .keyed = true,
                       .horizon = kHorizon,
                       .length = length_,
                       .allowed = in_length,
                       .round = kApart});
}

}  // namespace

std::vector<UseCase> use_cases(Duration length) {
  Cases cases(length);
  for (const std::int64_t burst : {1, 50, 1'000}) cases.add_buckets(burst);
  for (const std::int64_t capacity : {1, 2, 10, 50, 1'000}) cases.add_queue(capacity);
  for (const std::int64_t limit : {10, 100, 1'000}) {
    cases.add_windows(limit);
    cases.add_even_log(limit, 0);
    for (const std::int64_t burst : {std::int64_t{1}, limit / 5, limit / 2}) {
      cases.add_bursts(limit, burst);
    }
  }
  for (const std::int64_t timeout : {0, 20, 1'000}) cases.add_warm_up(Duration::millis(timeout));
  for (const std::int64_t limit : {1, 10, 50}) {
    for (const bool keyed : {false, true}) cases.add_places(limit, keyed);
  }
  cases.add_together();
  // The example of docs/limiters/leaky_bucket.md.
  cases.add({LeakyBucketParameters{{1, 100'000}, Permits{4}, true}},
            {.name = "leaky_queue_of_the_page",
             .horizon = Duration::seconds(1),
             .length = Duration::seconds(20),
             .allowed = 200});
  return std::move(cases.made);
}

std::vector<UseCase> with_keys(const std::vector<UseCase>& cases) {
  std::vector<UseCase> made;
  for (const UseCase& used : cases) {
    const auto& limit = used.limits.front().parameters;
    if (used.limits.size() > 1 || std::holds_alternative<ConcurrencyParameters>(limit)) continue;
    made.push_back(used);
    made.back().keyed = true;
    made.back().name += "_keyed";
  }
  return made;
}

}  // namespace einlass::conformance
