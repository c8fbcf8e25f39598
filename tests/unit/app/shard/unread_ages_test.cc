#include "app/shard/unread_ages.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

constexpr PartitionNumber kThree{3};

Instant at(int seconds) { return Instant{1'000'000} + Duration::seconds(seconds); }

class UnreadAgesTest : public ::testing::Test {
 protected:
  void look(int seconds, std::optional<std::uint64_t> lag, std::optional<Instant> oldest = {},
            std::optional<int> asked = {}) {
    ages.look(
        [&] {
          return std::vector<UnreadAges::Seen>{
              {"results", kThree, lag, oldest, at(asked.value_or(seconds))}};
        },
        at(seconds));
  }
  std::optional<Instant> known() const { return ages.written_after("results", kThree); }

  UnreadAges ages;
};

TEST_F(UnreadAgesTest, KnowsNothingOfAPartitionOfWhichNothingWasRead) {
  look(10, 500);
  EXPECT_EQ(known(), std::nullopt);
}

TEST_F(UnreadAgesTest, RemembersWhatWasInsideWhenItsTopicIsPaused) {
  look(100, 500, at(40));
  look(101, 499);
  look(5'000, 900);
  EXPECT_EQ(known(), at(40));
}

TEST_F(UnreadAgesTest, RemembersWhenAllWasDelivered) {
  look(100, 500, at(40));
  look(101, 0);
  look(200, 0);
  look(5'000, 900);
  EXPECT_EQ(known(), at(200));
}

TEST_F(UnreadAgesTest, KnowsOfALogsEndWhatKafkaSaidBeforeItWasAway) {
  look(100, 0, {}, 98);
  look(700, 0, {}, 98);
  look(702, 900, {}, 701);
  EXPECT_EQ(known(), at(98));
}

TEST_F(UnreadAgesTest, ForgetsAPartitionThatIsAnotherGates) {
  look(100, 0);
  ages.look([] { return std::vector<UnreadAges::Seen>{}; }, at(101));
  EXPECT_EQ(known(), std::nullopt);
}

TEST_F(UnreadAgesTest, LooksOnceASecond) {
  look(100, 0);
  bool asked = false;
  ages.look([&] { return asked = true, std::vector<UnreadAges::Seen>{}; },
            at(100) + Duration::millis(999));
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace einlass::app
