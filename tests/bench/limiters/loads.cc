#include "bench/limiters/loads.h"

namespace einlass::bench {
namespace {

using conformance::Rule;

constexpr Duration kSecond = Duration::seconds(1);
constexpr int kEven = 90;            // As it is where nothing is said.
constexpr limits::Rate kFast{1, 2};  // More than anybody asks.

Rule log(std::int64_t limit, Duration window, int even = 0) {
  return {limits::SlidingLogParameters{{limit}, window, even}};
}
Rule bucket(limits::Rate rate, std::int64_t burst) {
  return {limits::TokenBucketParameters{rate, {burst}}};
}
Rule slices(int count, bool newest) {
  return {limits::SlidingWindowParameters{{100'000}, kSecond / 10, count, newest}};
}

}  // namespace

std::vector<Load> loads(std::string_view only) {
  const Rule counter{limits::CounterParameters{{1'000'000}, kSecond}};
  const Rule fixed{limits::FixedWindowParameters{{1'000'000}, kSecond}};
  const Rule meter{limits::LeakyBucketParameters{kFast, {100'000}, false}};
  const Rule queue{limits::LeakyBucketParameters{kFast, {100'000}, true}};
  const Rule gcra{limits::GcraParameters{kFast, {100'000}}};
  const Rule smooth{limits::SmoothParameters{kFast, {100'000}, kSecond, true}};
  const Rule warm_up{limits::WarmUpParameters{kFast, kSecond, kSecond}};
  const Rule held{limits::ConcurrencyParameters{{10'000}, kSecond / 100}};
  const Rule free = bucket(kFast, 100'000);
  const conformance::Asked one;
  const conformance::Asked hundred{100, 100, 0};
  const conformance::Asked ahead{100, 100, 100'000'000};
  std::vector<Load> all{
      {"token_bucket", {free}, one, 20, 5},
      {"token_bucket, denied", {bucket({1, 10'000'000}, 1)}, one, 20, 5},
      {"leaky meter", {meter}, one, 20, 5},
      {"leaky queue", {queue}, {1, 1, 1'000'000}, 20, 5},
      {"gcra", {gcra}, one, 20, 5},
      {"smooth, pay next", {smooth}, {1, 1, 1'000'000}, 20, 5},
      {"smooth, warm-up", {warm_up}, {1, 1, 1'000'000}, 20, 5},
      {"counter", {counter}, one, 20, 3},
      {"fixed_window", {fixed}, one, 20, 3},
      {"sliding_window, 10 slices", {slices(10, false)}, one, 20, 7},
      {"sliding_window, 60 slices", {slices(60, false)}, one, 20, 7},
      {"sliding_window, log: newest", {slices(10, true)}, one, 20, 7},
      {"sliding_log", {log(10'000, kSecond / 100)}, one, 20, 9},
      {"sliding_log, even", {log(10'000, kSecond / 100, kEven)}, one, 20, 9},
      {"sliding_log, denied", {log(100, kSecond * 1'000)}, one, 20, 9},
      {"concurrency", {held}, one, 20, 9},
      {"sliding_log, 100 at once", {log(100'000, kSecond / 100)}, hundred, 2'000, 150},
      {"sliding_log, 100 at once, even", {log(100'000, kSecond / 100, kEven)}, hundred, 2'000, 150},
      {"sliding_log, 100 ahead", {log(100, kSecond / 100)}, ahead, 10'000},
      {"sliding_log, 100 ahead, even", {log(100, kSecond / 100, kEven)}, ahead, 10'000},
      {"token_bucket, 100 at once", {free}, hundred, 2'000},
      {"token_bucket, 100 ahead", {bucket({1, 100}, 100)}, ahead, 10'000},
      {"log and bucket", {log(10'000, kSecond / 100), free}, one, 20},
      {"three buckets", {free, free, free}, one, 20, 12},
      {"bucket and concurrency", {free, held}, one, 20},
  };
  std::erase_if(all, [&](const Load& load) {
    return std::string_view(load.name).find(only) == std::string_view::npos;
  });
  return all;
}

std::vector<Load> sizes() {
  const Duration window = kSecond * 3'600;
  const limits::Rate rate{1, 1'000'000};
  const conformance::Asked one;
  return {
      {"token_bucket", {bucket(rate, 100)}, one, 1},
      {"gcra", {{limits::GcraParameters{rate, {100}}}}, one, 1},
      {"gcra, 7/s", {{limits::GcraParameters{{7, 1'000'000}, {100}}}}, one, 1},
      {"leaky queue", {{limits::LeakyBucketParameters{rate, {100}, true}}}, {1, 1, 1}, 1},
      {"smooth, warm-up",
       {{limits::WarmUpParameters{rate, kSecond, kSecond}}},
       {1, 1, 1'000'000},
       1},
      {"counter", {{limits::CounterParameters{{100}, window}}}, one, 1},
      {"fixed_window", {{limits::FixedWindowParameters{{100}, window}}}, one, 1},
      {"sliding_window", {{limits::SlidingWindowParameters{{100}, window, 10}}}, one, 1},
      {"sliding_window, log: newest",
       {{limits::SlidingWindowParameters{{100}, window, 10, true}}},
       one,
       1},
      {"sliding_log", {log(100, window)}, one, 1},
      {"concurrency", {{limits::ConcurrencyParameters{{100}, window}}}, one, 1},
  };
}

}  // namespace einlass::bench
