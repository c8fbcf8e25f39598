// What counts the attempts under way, while its slot of a real cluster moves.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_group.h"

namespace einlass::redis::testing {
namespace {

using namespace std::chrono_literals;

// A line of a log and of two limits that count what is under way, of which one or both have gone.
class RedisClusterPlaces : public ::testing::Test {
 protected:
  void take(std::int64_t many) {
    const Bucket buckets[] = {{&log_, kKey, true}, {&few_, kKey, true}, {&many_, kKey, true}};
    side_.store->add_line({0}, std::span(buckets).first(two_ ? 3 : 2));
    ASSERT_TRUE(side_.until_up());
    const auto* answer = side_.answer(0, many);
    ASSERT_TRUE(answer);
    ASSERT_EQ(std::ssize(answer->due), many);
    for (std::uint16_t i = 0; i < many; ++i)
      taken_.push_back({answer->ask, i, answer->limiter_now});
    cluster_.begin_move(kSlot, kFrom, kTo);
  }
  void end_all() {
    for (const core::Permit& permit : taken_) {
      side_.store->ended({{0}, permit});
      side_.store->flush();
    }
  }
  static std::string key(const std::string& limit) { return "test:{tenant}:" + limit + ":tenant"; }
  // How often the node has said that not all keys are there.
  int refusals(std::size_t node) {
    const std::string name = "errorstat_TRYAGAIN:count=";
    const std::string info = cluster_.control(node)({"INFO", "errorstats"});
    const std::size_t at = info.find(name);
    return at == std::string::npos ? 0 : std::stoi(info.substr(at + name.size()));
  }
  // Only the mark of the last one that left is there.
  bool is_free(const std::string& limit, std::size_t node) {
    return side_.until([&] {
      return cluster_.control(node).element({"ZRANGE", key(limit), "0", "0"}, 0) ==
             std::string(20, '\xff');
    });
  }

  const std::string kKey = "tenant";
  const std::uint16_t kSlot = hash_slot(kKey);
  const std::size_t kFrom = ClusterGroup::owner_of(kSlot), kTo = (kFrom + 1) % 3;
  const limits::Limit log_ = sliding_log("log", 100);
  const limits::Limit few_{"few", limits::ConcurrencyParameters{{20}, Duration::seconds(600)}, {1}};
  const limits::Limit many_{
      "many", limits::ConcurrencyParameters{{30}, Duration::seconds(600)}, {1}};
  bool two_ = false;
  ClusterGroup cluster_;
  GateSide side_{cluster_.options()};
  std::vector<core::Permit> taken_;
};

TEST_F(RedisClusterPlaces, ComeFreeWhileOtherKeysOfTheLineHaveGone) {
  take(2);
  cluster_.move_key(key("log"), kFrom, kTo);
  taken_.pop_back();
  end_all();
  EXPECT_TRUE(side_.until([&] { return cluster_.control(kFrom)({"ZCARD", key("few")}) == "1"; }));
}

TEST_F(RedisClusterPlaces, AreNotAskedForWithoutEndWhileTheyArePartlyThere) {
  two_ = true;
  take(10);
  cluster_.move_key(key("few"), kFrom, kTo);
  end_all();
  side_.until([] { return false; }, 1s);
  const int refused =
      refusals(kFrom) + refusals(kTo);  // Redis 6.2 sends who asks on to where they go.
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 30);
  cluster_.move_keys(kSlot, kFrom, kTo);
  cluster_.end_move(kSlot, kTo);
  EXPECT_TRUE(is_free("few", kTo));
  EXPECT_TRUE(is_free("many", kTo));
}

}  // namespace
}  // namespace einlass::redis::testing
