#include "bench/limiters/bench_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>
#include <string_view>
#include <vector>

#include "bench/limiters/loads.h"
#include "limits/permits/acquire.h"

namespace {

std::uint64_t allocations = 0;
std::uint64_t allocated_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace einlass::bench {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr int kRounds = 100;
constexpr std::int64_t kPermitsOfARound = 10'000;

struct Cost {
  double nanos = 1e9;
  double allocations = 1e9;
};

// Of one decision on one of `buckets` sets of buckets of that load, picked at random.
Cost cost_of(const Load& load, std::size_t buckets) {
  const std::size_t each = load.rules.size();
  std::vector<limits::State> states;
  std::vector<limits::Charge> charges;
  for (std::size_t i = 0; i < buckets * each; ++i) {
    states.push_back(limits::fresh(load.rules[i % each].parameters, ""));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const conformance::Rule& rule = load.rules[i % each];
    charges.push_back({&rule.parameters, &states[i], rule.cost});
  }
  std::vector<Duration> due(static_cast<std::size_t>(load.asked.max));
  const limits::Demand demand{
      {load.asked.min}, {load.asked.max}, {load.asked.horizon}, conformance::prefix(1)};
  std::minstd_rand random;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(kPermitsOfARound / load.asked.max));
  std::int64_t now = kStart;
  Cost best;
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint32_t& index : order) index = static_cast<std::uint32_t>(random() % buckets);
    const std::uint64_t before = allocations;
    const auto start = std::chrono::steady_clock::now();
    for (const std::uint32_t index : order) {
      limits::acquire(std::span(charges).subspan(index * each, each), demand, {now += load.step},
                      due);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best.nanos = std::min(best.nanos, took.count() / double(order.size()));
    best.allocations =
        std::min(best.allocations, double(allocations - before) / double(order.size()));
  }
  return best;
}

// What a bucket takes after so many permits, with what it has on the heap.
std::uint64_t bytes_of(const Load& load, int permits) {
  const std::uint64_t before = allocated_bytes;
  limits::State state = limits::fresh(load.rules[0].parameters, "");
  const limits::Charge charges[] = {{&load.rules[0].parameters, &state, {1}}};
  Duration due[1];
  for (int i = 0; i < permits; ++i) {
    limits::acquire(charges, {{1}, {1}, {load.asked.horizon}, conformance::prefix(i + 1ull)},
                    {kStart + i}, due);
  }
  return sizeof state + allocated_bytes - before;
}

}  // namespace

void measure_in_process(std::string_view only) {
  std::printf("In process: nanoseconds and allocations of a decision\n");
  for (const Load& load : loads(only)) {
    const Cost cost = cost_of(load, 1);
    std::printf("  %-28s %8.1f ns", load.name, cost.nanos);
    if (load.asked.max > 1) std::printf(" (%5.1f a permit)", cost.nanos / double(load.asked.max));
    if (cost.allocations > 0) std::printf("  %.2f allocations", cost.allocations);
    std::printf("\n");
  }
  if (!only.empty()) return;
  std::printf("\nIn process, of so many buckets one at random: nanoseconds\n");
  for (const std::size_t buckets : {1u, 1'000u, 1'000'000u}) {
    std::printf("  %9zu token buckets %8.1f ns\n", buckets, cost_of(loads()[0], buckets).nanos);
  }
  std::printf("\nIn process: bytes of a bucket after 1 and after 100 permits, all allocated\n");
  for (const Load& load : sizes()) {
    std::printf("  %-28s %6llu %8llu\n", load.name,
                static_cast<unsigned long long>(bytes_of(load, 1)),
                static_cast<unsigned long long>(bytes_of(load, 100)));
  }
}

}  // namespace einlass::bench
