// Three gates or one with more to do than their limits allow: they use all of it, and never more.
// In both stores, when all is done at once and when answers, attempts and timers take their time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "conformance/fleet.h"
#include "conformance/promise.h"
#include "conformance/use_cases.h"

namespace einlass::conformance::use_test {

void PrintTo(const UseCase& used, std::ostream* out) { *out << used.name; }

namespace {

constexpr Instant kBegin{1'800'000'000'000'000};
constexpr int kBacklog = 3'000;  // No limit here allows more in the time that an attempt takes.

constexpr Duration kToTheEnd = core::kSlot * 2;  // By then the last permits have been used.

constexpr Surroundings kAtOnce{"at once", {}, {}, {}};
constexpr Surroundings kAway{"away", Duration{300}, Duration::millis(5), Duration{200}};

core::RouteOptions route_of(const UseCase& used) {
  core::RouteOptions route;
  route.horizon = used.horizon;
  route.slot = core::kSlot;
  route.inside_records = 2 * kBacklog;
  for (const limits::Limit& limit : used.limits) {
    const std::size_t index = route.limit_count++;
    route.limits.at(index) = core::LimitId{static_cast<std::uint16_t>(index)};
    if (index > 0 || !used.keyed) route.keyless_limits |= 1u << index;
    const bool held = std::holds_alternative<limits::ConcurrencyParameters>(limit.parameters);
    if (held) route.held_limits |= 1u << index;
  }
  return route;
}

// 99 % of what is allowed, and of what is by nature left of it.
std::int64_t least(const UseCase& used, const Surroundings& around) {
  const Duration lost = around.answer + (used.by_timer ? around.late : Duration{});
  const std::int64_t by_nature = used.lost_evenly + used.left_to_others;
  std::int64_t most = used.allowed - by_nature;
  if (used.round > Duration{}) most = most * used.round.us / (used.round + lost).us;
  if (used.pace.units > 0) {
    most = std::min(most, used.pace.units * (used.length.us / (used.pace.apart + lost).us));
  }
  return most * 99 / 100;
}

std::vector<Instant> stamps_until(const Fleet& fleet, Instant end) {
  std::vector<Instant> stamps;
  for (const Instant at : fleet.stamps()) {
    if (at < end) stamps.push_back(at);
  }
  std::sort(stamps.begin(), stamps.end());
  return stamps;
}

class UseTest : public testing::TestWithParam<UseCase> {
 protected:
  // Adds the gates of one fleet, which shares its limits with no other.
  using AddGates = std::function<void(Fleet&, int gates)>;

  void try_all(const AddGates& add_gates) {
    for (const Surroundings& around : {kAtOnce, kAway}) {
      for (const int gates : {1, 3}) {
        SCOPED_TRACE(std::string(around.name) + ", gates: " + std::to_string(gates));
        try_one(around, gates, add_gates);
      }
    }
  }

 private:
  void try_one(Surroundings around, int gates, const AddGates& add_gates) {
    const UseCase& used = GetParam();
    around.attempt = std::max(around.attempt, used.attempt);
    Fleet fleet(route_of(used), around, kBegin);
    add_gates(fleet, gates);
    fleet.run(used.length + kToTheEnd, kBacklog);
    const std::vector<Instant> stamps = stamps_until(fleet, kBegin + used.length);
    EXPECT_GE(std::ssize(stamps), least(used, around)) << "of " << used.allowed;
    EXPECT_LE(std::ssize(stamps), used.allowed);
    for (const limits::Limit& limit : used.limits) {
      EXPECT_EQ(broken(limit.parameters, stamps), std::nullopt);
      const auto* held = std::get_if<limits::ConcurrencyParameters>(&limit.parameters);
      if (held == nullptr) continue;
      EXPECT_LE(fleet.most_under_way(), held->limit.value);
    }
  }
};

struct UseInMemory : UseTest {};

TEST_P(UseInMemory, a_backlog_uses_all_that_the_limit_allows_and_no_more) {
  std::vector<std::unique_ptr<memory::Table>> tables;
  try_all([&](Fleet& fleet, int gates) {
    tables.push_back(std::make_unique<memory::Table>());
    for (int i = 0; i < gates; ++i) {
      fleet.add_gate(std::make_unique<MemoryLimiter>(*tables.back(), GetParam().limits));
    }
  });
}

struct UseInRedis : UseTest {
  static void SetUpTestSuite() { server = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  static inline std::unique_ptr<RedisServer> server;
};

TEST_P(UseInRedis, a_backlog_uses_all_that_the_limit_allows_and_no_more) {
  std::vector<Rule> rules;
  for (const limits::Limit& limit : GetParam().limits) rules.push_back({limit.parameters});
  RedisSide side(*server, {}, rules);
  side.remember(false);
  int fleets = 0;
  try_all([&](Fleet& fleet, int gates) {
    side.rename(GetParam().name + std::to_string(fleets++));
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(gates); ++i) {
      fleet.add_gate(std::make_unique<RedisLimiter>(side, i, GetParam().limits));
    }
  });
}

std::string name_of(const testing::TestParamInfo<UseCase>& used) { return used.param.name; }

INSTANTIATE_TEST_SUITE_P(, UseInMemory, testing::ValuesIn(use_cases(Duration::seconds(1))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Keyed, UseInMemory,
                         testing::ValuesIn(with_keys(use_cases(Duration::seconds(1)))), name_of);
INSTANTIATE_TEST_SUITE_P(, UseInRedis, testing::ValuesIn(use_cases(Duration::millis(150))),
                         name_of);

}  // namespace
}  // namespace einlass::conformance::use_test
