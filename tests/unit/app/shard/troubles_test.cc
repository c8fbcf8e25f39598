#include "app/shard/troubles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einlass::app {
namespace {

Trouble one(std::string what, std::string name, std::string says = "down") {
  return {std::move(what), std::move(name), true, std::move(says), {}, {}, {}};
}

class TroublesTest : public ::testing::Test {
 protected:
  // Looks so many seconds after the beginning.
  void look(int seconds, std::vector<Trouble> wrong) {
    troubles.look([&] { return wrong; }, at(seconds));
  }
  static Instant at(int seconds) { return Instant{1'000'000} + Duration::seconds(seconds); }

  Troubles troubles;
};

TEST_F(TroublesTest, HasTheInstantWhenItBeganHoweverOftenItIsSeenAgain) {
  look(10, {one("target", "erp", "connection refused")});
  look(20, {one("target", "erp", "timeout")});
  const auto all = troubles.all(at(30));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].since, at(10));
  EXPECT_EQ(all[0].says, "timeout") << "what is said last";
  EXPECT_FALSE(all[0].ended);
}

TEST_F(TroublesTest, HasAnEnd) {
  look(10, {one("target", "erp"), one("redis", "")});
  look(20, {one("redis", "")});
  const auto all = troubles.all(at(30));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].what, "redis") << "what lasts stands first";
  EXPECT_EQ(all[1].name, "erp");
  EXPECT_EQ(all[1].ended, at(20));
  look(40, {one("target", "erp")});
  EXPECT_EQ(troubles.all(at(50))[0].since, at(40)) << "another time is another trouble";
}

TEST_F(TroublesTest, IsNotWorthSayingWhileItIsShort) {
  look(10, {one("redis", "")});
  EXPECT_TRUE(troubles.all(at(11)).empty());
  look(11, {});
  EXPECT_TRUE(troubles.all(at(12)).empty()) << "nor when it is over";
}

TEST_F(TroublesTest, MayBeWorthSayingAtOnceAndKnowItsBeginning) {
  Troubles at_once{Duration{}};
  Trouble refused = one("reload", "");
  refused.since = at(5);
  at_once.look([&] { return std::vector{refused, one("totals", "")}; }, at(10));
  const auto all = at_once.all(at(10));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].since, at(5));
  EXPECT_EQ(all[1].since, at(10));
}

TEST_F(TroublesTest, IsForgottenInTime) {
  look(10, {one("redis", "")});
  look(20, {});
  EXPECT_EQ(troubles.all(at(21)).size(), 1u);
  look(621, {});
  EXPECT_TRUE(troubles.all(at(622)).empty());
}

TEST_F(TroublesTest, KeepsOnlyTheLastOfMany) {
  for (int i = 0; i < 30; ++i) {
    look(10 * i, {one("target", std::to_string(i))});
    look(10 * i + 5, {});
  }
  const auto all = troubles.all(at(301));
  ASSERT_EQ(all.size(), Troubles::kMostEnded);
  EXPECT_EQ(all[0].name, "29");
}

TEST_F(TroublesTest, LooksAtMostTwiceASecond) {
  int looks = 0;
  const auto look_now = [&] {
    ++looks;
    return std::vector<Trouble>{};
  };
  for (int ms = 0; ms < 2000; ms += 10) troubles.look(look_now, at(1) + Duration::millis(ms));
  EXPECT_EQ(looks, 4);
}

}  // namespace
}  // namespace einlass::app
