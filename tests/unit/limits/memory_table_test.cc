// One table and the stores of several threads: run it under the thread sanitizer too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/memory/store.h"
#include "unit/limits/asking.h"

namespace einlass::memory {
namespace {

constexpr std::int64_t kLimit = 50;
constexpr std::int64_t kSteps = 20'000;

// Asks again and again while its own clock goes on, gives every seventh permit back, and keeps the
// instants of the others.
std::vector<std::int64_t> ask_often(Table& table, const limits::Limit& limit) {
  core::Events events;
  Store store(events, table);
  store.add_line(core::LineId{0}, std::array{Bucket{&limit, ""}});
  std::vector<std::int64_t> instants;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const Instant now{limits::kNow + step * 100};
    events.clear();
    store.ask({core::LineId{0}, core::AskId{static_cast<std::uint64_t>(step + 1)}, {1}, {3}, {0}},
              now);
    const auto& answer = std::get<core::PermitsAnswered>(events.at(0));
    for (std::uint16_t i = 0; i < answer.due.size(); ++i) {
      const Instant at = now + answer.due[i];
      if (step % 7 != 0) {
        instants.push_back(at.us);
        continue;
      }
      const core::AskId ask{static_cast<std::uint64_t>(step + 1)};
      store.release({core::LineId{0}, {ask, i, at}}, now);
    }
    store.sweep(now);
  }
  store.forget_line(core::LineId{0});
  return instants;
}

TEST(MemoryTable, ThreadsTogetherKeepToTheLimit) {
  Table table;
  limits::Limit limit{"callbacks", limits::log(kLimit, limits::kSecond), {1}};
  std::mutex mutex;
  std::vector<std::int64_t> instants;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const std::vector<std::int64_t> own = ask_often(table, limit);
      const std::lock_guard lock(mutex);
      instants.insert(instants.end(), own.begin(), own.end());
    });
  }
  for (int i = 0; i < 100; ++i) {
    table.change([&] { limit.parameters = limits::log(kLimit - i % 2, limits::kSecond); });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(instants.begin(), instants.end());
  std::size_t begin = 0;
  std::size_t worst = 0;
  for (std::size_t end = 0; end < instants.size(); ++end) {
    while (instants[end] - instants[begin] >= limits::kSecond) ++begin;
    worst = std::max(worst, end - begin + 1);
  }
  EXPECT_LE(worst, static_cast<std::size_t>(kLimit));
  EXPECT_GE(instants.size(), static_cast<std::size_t>(kLimit));
  EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace einlass::memory
