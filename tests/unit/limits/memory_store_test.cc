#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "adapters/memory/store.h"
#include "limits/rates/token_bucket.h"
#include "unit/limits/asking.h"

namespace einlass::memory {
namespace {

using core::AskId;
using core::LineId;

class MemoryStore : public testing::Test {
 protected:
  const core::PermitsAnswered& ask(std::uint32_t line, std::int64_t at, std::int64_t min = 1,
                                   std::int64_t max = 1, std::int64_t horizon = 0) {
    events_.clear();
    store_.ask({LineId{line}, AskId{++asks_}, {min}, {max}, {horizon}}, {limits::kNow + at});
    EXPECT_EQ(events_.size(), 1U);
    return std::get<core::PermitsAnswered>(events_.at(0));
  }
  void add(std::uint32_t line, std::vector<Bucket> buckets) {
    store_.add_line(LineId{line}, buckets);
  }

  limits::Limit all_{"callbacks", limits::log(100, limits::kSecond), {1}};
  limits::Limit tenant_{"per_tenant", limits::bucket(20, limits::kSecond, 2), {1}};
  core::Events events_;
  Table table_;
  Store store_{events_, table_};
  std::uint64_t asks_ = 0;
};

TEST_F(MemoryStore, AnswersAtOnce) {
  add(0, {{&all_, ""}, {&tenant_, "acme"}});
  const core::PermitsAnswered& answer = ask(0, 7, 1, 3, 60'000);
  EXPECT_EQ(answer.line, LineId{0});
  EXPECT_EQ(answer.ask, AskId{1});
  EXPECT_EQ(answer.limiter_now, Instant{limits::kNow + 7});
  ASSERT_EQ(answer.due.size(), 3U);
  EXPECT_EQ(answer.due[1], Duration{0});
  EXPECT_EQ(answer.due[2], Duration{50'000});
}

TEST_F(MemoryStore, NamesTheLimitByItsPlace) {
  add(0, {{&all_, ""}, {&tenant_, "acme"}});
  EXPECT_EQ(ask(0, 0, 2, 2).due.size(), 2U);
  const core::PermitsAnswered& denied = ask(0, 10);
  EXPECT_TRUE(denied.due.empty());
  EXPECT_EQ(denied.reason, core::LimitIndex{1});
  EXPECT_EQ(denied.retry, Duration{49'990});
  EXPECT_EQ(store_.status().granted, 1U);
  EXPECT_EQ(store_.status().denied, 1U);
}

TEST_F(MemoryStore, SaysHowFarAheadItWent) {
  const limits::Limit queue{"queue", limits::LeakyBucketParameters{{1, 1'000}, {4}, true}, {1}};
  const limits::Limit window{"window", limits::CounterParameters{{1}, {limits::kSecond}}, {1}};
  add(0, {{&all_, ""}, {&tenant_, "acme"}});
  add(1, {{&all_, ""}, {&queue, ""}});
  add(2, {{&queue, "other"}, {&window, ""}});
  EXPECT_EQ(ask(0, 0, 1, 9, 60'000).ahead, Duration{60'000});
  EXPECT_EQ(ask(1, 0, 1, 9, 60'000).ahead, Duration{4'000});
  EXPECT_EQ(ask(1, 0, 1, 9, 60'000).ahead, Duration{4'000});  // Denied.
  EXPECT_EQ(ask(1, 0, 1, 9, 1'500).ahead, Duration{1'500});
  EXPECT_EQ(ask(2, 0, 1, 9, 60'000).ahead, Duration{});
}

TEST_F(MemoryStore, LinesWithTheSameKeyShareABucket) {
  add(0, {{&all_, ""}, {&tenant_, "acme"}});
  add(1, {{&tenant_, "acme"}});
  add(2, {{&tenant_, "other"}});
  EXPECT_EQ(store_.status().buckets, 3U);
  EXPECT_EQ(ask(0, 0, 2, 2).due.size(), 2U);
  EXPECT_TRUE(ask(1, 0).due.empty());
  EXPECT_EQ(ask(2, 0).due.size(), 1U);
}

TEST_F(MemoryStore, DueTimesLiveUntilTheLinesNextAsk) {
  add(0, {{&all_, ""}});
  add(1, {{&tenant_, "acme"}});
  const std::span<const Duration> due = ask(1, 0, 1, 4, 200'000).due;
  for (int i = 0; i < 50; ++i) ask(0, i, 1, 1'000, 5'000'000);
  ASSERT_EQ(due.size(), 4U);
  EXPECT_EQ(due[3], Duration{100'000});
}

TEST_F(MemoryStore, AReleasedPermitIsThereAgain) {
  add(0, {{&all_, ""}, {&tenant_, "acme"}});
  ask(0, 0, 2, 2);
  store_.release({LineId{0}, {AskId{1}, 1, {limits::kNow}}}, {limits::kNow + 5});
  EXPECT_EQ(ask(0, 5, 1, 2).due.size(), 1U);
}

TEST_F(MemoryStore, ACostComesWithTheAskWhereTheRecordBringsIt) {
  limits::Limit bytes{"bytes", limits::bucket(1'000, limits::kSecond, 100), {1}, true};
  add(0, {{&all_, ""}, {&bytes, ""}});
  const auto ask_at = [&](std::int64_t at, std::int64_t cost) {
    events_.clear();
    store_.ask({LineId{0}, AskId{++asks_}, {1}, {1}, {0}, {cost}}, {limits::kNow + at});
    return std::get<core::PermitsAnswered>(events_.at(0));
  };
  EXPECT_EQ(ask_at(0, 70).due.size(), 1U);
  EXPECT_EQ(ask_at(0, 70).retry, Duration{40'000});
  EXPECT_EQ(ask_at(0, 30).due.size(), 1U);
  for (const std::int64_t cost : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{101},
                                  std::numeric_limits<std::int64_t>::max()}) {
    const core::PermitsAnswered denied = ask_at(0, cost);
    EXPECT_TRUE(denied.due.empty());
    EXPECT_FALSE(denied.retry.has_value());
    EXPECT_EQ(denied.reason, core::LimitIndex{1});
  }
  core::Permit permit{AskId{1}, 0, {limits::kNow}, {70}};
  EXPECT_TRUE(ask_at(0, 1).due.empty());
  store_.release({LineId{0}, permit}, {limits::kNow});
  EXPECT_EQ(ask_at(0, 70).due.size(), 1U);
  EXPECT_TRUE(ask_at(0, 1).due.empty());
}

// Two shards: one table, so one limit for both, each with asks and lines of its own.
TEST_F(MemoryStore, StoresOfOneTableShareItsBuckets) {
  core::Events events;
  Store other(events, table_);
  add(0, {{&tenant_, "acme"}});
  other.add_line(LineId{0}, std::array{Bucket{&tenant_, "acme"}});
  EXPECT_EQ(ask(0, 0).due.size(), 1U);
  other.ask({LineId{0}, AskId{1}, {1}, {2}, {0}}, {limits::kNow});
  EXPECT_EQ(std::get<core::PermitsAnswered>(events.at(0)).due.size(), 1U);
  EXPECT_TRUE(ask(0, 0).due.empty());
  EXPECT_EQ(store_.status().buckets, 1U);
  EXPECT_EQ(store_.status().granted, 1U);
  EXPECT_EQ(other.status().granted, 1U);
}

// Both stores ask under the same number: what one gives back is not the other's.
TEST_F(MemoryStore, StoresOfOneTableNameTheirPermitsApart) {
  core::Events events;
  Store other(events, table_);
  limits::Limit two{"two", limits::log(2, limits::kSecond), {1}};
  add(0, {{&two, ""}});
  other.add_line(LineId{0}, std::array{Bucket{&two, ""}});
  ask(0, 0);
  other.ask({LineId{0}, AskId{1}, {1}, {1}, {0}}, {limits::kNow});
  store_.release({LineId{0}, {AskId{1}, 0, {limits::kNow}}}, {limits::kNow});
  store_.release({LineId{0}, {AskId{1}, 0, {limits::kNow}}}, {limits::kNow});
  EXPECT_EQ(ask(0, 0, 1, 2).due.size(), 1U);
}

// A shard that is behind is answered for the other's instant: its bucket may have been forgotten.
TEST_F(MemoryStore, TheTableNeverGoesBackInTime) {
  core::Events events;
  Store other(events, table_);
  add(0, {{&tenant_, "acme"}});
  other.add_line(LineId{0}, std::array{Bucket{&all_, ""}});
  other.ask({LineId{0}, AskId{1}, {1}, {1}, {0}}, {limits::kNow + 700});
  const core::PermitsAnswered& answer = ask(0, 500, 1, 2);
  EXPECT_EQ(answer.limiter_now, Instant{limits::kNow + 500});
  EXPECT_EQ(answer.due.front(), Duration{200});
}

TEST_F(MemoryStore, AChangedLimitKeepsWhatWasSpent) {
  add(0, {{&all_, ""}});
  EXPECT_EQ(ask(0, 0, 1, 90).due.size(), 90U);
  table_.change([this] { all_.parameters = limits::log(95, limits::kSecond); });
  EXPECT_EQ(ask(0, 1, 1, 90).due.size(), 5U);
  table_.change([this] {
    all_.parameters = limits::log(105, limits::kSecond);
    all_.cost = Permits{10};
  });
  store_.change_line(LineId{0}, std::array{Bucket{&all_, ""}});
  EXPECT_EQ(ask(0, 2, 1, 90).due.size(), 1U);
}

// A reload writes the limit first and tells the lines of it soon after: what a line keeps of it, as
// its cost, and what it does not, do not go together until then.
TEST_F(MemoryStore, BetweenALimitsNewCostAndALineThatIsToldOfItNothingIsAnswered) {
  add(0, {{&tenant_, "acme"}});
  table_.change([this] {
    tenant_.parameters = limits::bucket(1, limits::kSecond, 1);
    tenant_.cost = Permits{5};
  });
  store_.ask({LineId{0}, AskId{1}, {1}, {1}, {0}}, {limits::kNow});
  ASSERT_EQ(events_.size(), 1U);
  const auto* failed = std::get_if<core::PermitsFailed>(&events_[0]);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->ask, AskId{1});
  EXPECT_LE(failed->wait, Duration::millis(1));
  tenant_.cost = Permits{1};
  store_.change_line(LineId{0}, std::array{Bucket{&tenant_, "acme"}});
  EXPECT_EQ(ask(0, 1).due.size(), 1U);
}

Buckets::Value value_of(const limits::Limit& limit, limits::Parameters parameters) {
  limits::Limit value = limit;
  value.parameters = parameters;
  return std::make_shared<const limits::Limit>(value);
}

TEST_F(MemoryStore, OtherNumbersForAKeyKeepWhatWasSpentAndComeAndGo) {
  const limits::Limit log{"log", limits::log(10, limits::kSecond), {1}};
  add(0, {{&log, "acme"}});
  EXPECT_EQ(ask(0, 0, 1, 8).due.size(), 8U);
  const auto more = value_of(log, limits::log(15, limits::kSecond));
  store_.change_line(LineId{0}, std::array{Bucket{&log, "acme", more}});
  EXPECT_EQ(ask(0, 1, 1, 90).due.size(), 7U);
  store_.change_line(LineId{0}, std::array{Bucket{&log, "acme"}});
  EXPECT_TRUE(ask(0, 2, 1, 1).due.empty());
  EXPECT_EQ(store_.status().buckets, 1U);
}

TEST_F(MemoryStore, ABucketIsTheSameForWhomeverHasOtherNumbers) {
  const limits::Limit log{"log", limits::log(10, limits::kSecond), {1}};
  add(0, {{&log, "acme"}});
  add(1, {{&log, "acme", value_of(log, limits::log(15, limits::kSecond))}});
  EXPECT_EQ(ask(0, 0, 1, 90).due.size(), 10U);
  EXPECT_EQ(ask(1, 1, 1, 90).due.size(), 5U);
  EXPECT_TRUE(ask(0, 2, 1, 1).due.empty());
}

// The limit's own window is long over by then, and that of the key is not.
TEST_F(MemoryStore, AnUnusedBucketIsForgottenByTheNumbersOfItsKey) {
  const limits::Limit log{"log", limits::log(10, limits::kSecond), {1}};
  const auto minute = value_of(log, limits::log(10, 60 * limits::kSecond));
  add(0, {{&log, "acme", minute}});
  EXPECT_EQ(ask(0, 0, 1, 90).due.size(), 10U);
  store_.forget_line(LineId{0});
  for (int i = 1; i < 50; ++i) store_.sweep({limits::kNow + i * limits::kSecond});
  EXPECT_EQ(store_.status().buckets, 1U);
  add(0, {{&log, "acme", minute}});
  EXPECT_TRUE(ask(0, 50 * limits::kSecond).due.empty());
  store_.forget_line(LineId{0});
  store_.sweep({limits::kNow + 61 * limits::kSecond});
  EXPECT_EQ(store_.status().buckets, 0U);
}

// How a bucket begins is a number of the key too.
TEST_F(MemoryStore, ANewBucketBeginsByTheNumbersOfItsKey) {
  const limits::Limit bucket{"bucket", limits::bucket(20, limits::kSecond, 2), {1}};
  add(0, {{&bucket, "acme",
           value_of(bucket, limits::TokenBucketParameters{{20, limits::kSecond}, {2}, true})}});
  EXPECT_TRUE(ask(0, 0).due.empty());
}

TEST_F(MemoryStore, AReleaseGivesTheInstantForWhichThePermitWas) {
  limits::Limit queue{"queue", limits::queue(10, limits::kSecond, 5), {1}};
  add(0, {{&queue, ""}});
  const std::span<const Duration> due = ask(0, 0, 3, 3, limits::kSecond).due;
  const Instant last = Instant{limits::kNow} + due[2];
  store_.release({LineId{0}, {AskId{1}, 2, last}}, {limits::kNow});
  EXPECT_EQ(ask(0, 0, 1, 1, limits::kSecond).due[0], Duration{200'000});
}

// One by one, the first one first, no turn would come back but the last.
TEST_F(MemoryStore, WhatIsGivenBackInOneTurnComesBackTogether) {
  core::Events events;
  Store other(events, table_);
  limits::Limit queue{"queue", limits::queue(10, limits::kSecond, 5), {1}};
  add(0, {{&queue, ""}});
  other.add_line(LineId{0}, std::array{Bucket{&queue, ""}});
  const std::span<const Duration> due = ask(0, 0, 5, 5, limits::kSecond).due;
  ASSERT_EQ(due.size(), 5U);
  for (std::uint16_t i = 0; i < 5; ++i) {
    store_.release({LineId{0}, {AskId{1}, i, Instant{limits::kNow} + due[i]}}, {limits::kNow});
  }
  store_.sweep({limits::kNow});
  other.ask({LineId{0}, AskId{1}, {1}, {5}, {limits::kSecond}}, {limits::kNow});
  EXPECT_EQ(std::get<core::PermitsAnswered>(events.at(0)).due.size(), 5U);
}

TEST_F(MemoryStore, AnAttemptThatEndedMakesRoom) {
  limits::Limit held{"held", limits::held(1, limits::kSecond), {1}};
  add(0, {{&all_, ""}, {&held, "acme"}});
  EXPECT_EQ(ask(0, 0).due.size(), 1U);
  EXPECT_TRUE(ask(0, 1).due.empty());
  store_.ended({LineId{0}, {AskId{1}, 0, {limits::kNow}}}, {limits::kNow + 2});
  EXPECT_EQ(ask(0, 2).due.size(), 1U);
}

TEST_F(MemoryStore, AKeysWindowsBeginWhereItsNameSays) {
  const limits::FixedWindowParameters parameters{{1}, {limits::kSecond}, true};
  limits::Limit fixed{"fixed", parameters, {1}};
  add(0, {{&fixed, "acme"}});
  const Duration phase = limits::phase_of(parameters, "acme");
  EXPECT_EQ(ask(0, 0).due.size(), 1U);
  EXPECT_EQ(ask(0, 0).retry, phase);
}

TEST_F(MemoryStore, ABucketIsKeptWhileALineUsesItOrItIsNotFull) {
  add(0, {{&tenant_, "acme"}});
  add(1, {{&all_, ""}});
  ask(0, 0, 2, 2);
  store_.forget_line(LineId{0});
  ask(1, 1'000);
  EXPECT_EQ(store_.status().buckets, 2U);
  add(0, {{&tenant_, "acme"}});  // Who comes back meanwhile finds what was spent.
  EXPECT_TRUE(ask(0, 2'000).due.empty());
  ask(1, 60 * limits::kSecond);
  EXPECT_EQ(store_.status().buckets, 2U);
}

TEST_F(MemoryStore, ABucketThatStartsEmptyIsSoAgainThoughALineHasIt) {
  const limits::Limit empty{
      "empty", limits::TokenBucketParameters{{1, limits::kSecond}, {5}, true}, {1}};
  add(0, {{&empty, ""}});
  EXPECT_TRUE(ask(0, 0).due.empty());
  EXPECT_EQ(ask(0, 5 * limits::kSecond, 1, 9).due.size(), 5U);
  const std::int64_t full = 10 * limits::kSecond;
  EXPECT_TRUE(ask(0, full + limits::kNewAfter.us, 1, 9).due.empty());
}

TEST_F(MemoryStore, AFullBucketThatNoLineUsesLeaves) {
  add(0, {{&all_, ""}});
  for (std::uint32_t i = 1; i <= 1'000; ++i) {
    add(i, {{&tenant_, "tenant " + std::to_string(i)}});
    ask(i, i);
    store_.forget_line(LineId{i});
  }
  EXPECT_EQ(store_.status().buckets, 1'001U);
  for (int i = 0; i < 250; ++i) ask(0, 30 * limits::kSecond + i);
  EXPECT_EQ(store_.status().buckets, 1U);
  add(7, {{&tenant_, "tenant 3"}});
  EXPECT_EQ(ask(7, 31 * limits::kSecond, 1, 5).due.size(), 2U);
}

TEST_F(MemoryStore, WhatAFloodOfKeysLeftBehindLeavesWithFewSweeps) {
  constexpr std::uint32_t kKeys = 100'000;
  add(0, {{&all_, ""}});
  for (std::uint32_t i = 1; i <= kKeys; ++i) {
    add(1, {{&tenant_, std::to_string(i)}});
    ask(1, i);
    store_.forget_line(LineId{1});
  }
  EXPECT_EQ(store_.status().buckets, kKeys + 1);
  store_.sweep({limits::kNow + kKeys});
  EXPECT_EQ(store_.status().buckets, kKeys + 1);  // Not before they are full again.
  for (std::uint32_t i = 0; i < kKeys / 16; ++i)
    store_.sweep({limits::kNow + 30 * limits::kSecond});
  EXPECT_EQ(store_.status().buckets, 1U);
}

TEST_F(MemoryStore, AnUnusedBucketThatIsUsedAgainStays) {
  add(0, {{&tenant_, "acme"}});
  store_.forget_line(LineId{0});
  add(0, {{&tenant_, "acme"}});
  ask(0, 0, 2, 2);
  ask(0, 60 * limits::kSecond);
  EXPECT_EQ(store_.status().buckets, 1U);
}

TEST_F(MemoryStore, ABucketThatTakesTheRoomOfAnotherIsNew) {
  add(0, {{&tenant_, "acme"}});
  add(1, {{&tenant_, "a tenant with a long name"}});
  ask(1, 0, 2, 2);
  store_.forget_line(LineId{1});
  ask(0, 20 * limits::kSecond);
  ASSERT_EQ(store_.status().buckets, 1U);
  add(1, {{&all_, "other"}});
  add(2, {{&all_, "other"}});
  EXPECT_EQ(store_.status().buckets, 2U);
  EXPECT_EQ(ask(1, 20 * limits::kSecond, 1, 60).due.size(), 60U);
  EXPECT_EQ(ask(2, 20 * limits::kSecond, 1, 60).due.size(), 40U);
}

TEST_F(MemoryStore, BucketsThatComeAndGoTakeNoRoom) {
  add(0, {{&tenant_, "acme"}});
  for (int i = 0; i < 20; ++i) {
    add(1, {{&tenant_, "other"}});
    store_.forget_line(LineId{1});
    ask(0, i * 20 * limits::kSecond);
    EXPECT_EQ(store_.status().buckets, 1U) << i;
  }
}

TEST_F(MemoryStore, AsManyAsALineHoldsComeBackTogether) {
  limits::Limit queue{"queue", limits::queue(1'000, limits::kSecond, 1'000), {1}};
  add(0, {{&queue, ""}});
  std::vector<core::Permit> permits;
  for (int n = 0; n < 2; ++n) {
    const auto& answer = ask(0, 0, 1, 256, limits::kSecond);
    for (std::uint16_t i = 0; i < answer.due.size(); ++i) {
      permits.push_back({answer.ask, i, Instant{limits::kNow} + answer.due[i]});
    }
  }
  ASSERT_EQ(permits.size(), 512U);
  for (std::size_t i = 1; i < permits.size(); ++i) {
    store_.release({LineId{0}, permits[i]}, {limits::kNow});
  }
  EXPECT_EQ(ask(0, 0, 1, 1, limits::kSecond).due[0], Duration{1'000});
}

}  // namespace
}  // namespace einlass::memory
