// Random walks through both stores with an invented clock: not one difference in what is granted,
// when it is due, when to ask again, which limit was the reason, what remains, and what comes back.
#include "conformance/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/redis_server.h"

namespace einlass::conformance {

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

namespace {

constexpr int kWalks = 64;  // Side by side, one step of each in a round trip.

// EINLASS_WALK_STEPS asks for more or fewer.
int steps(const Shape& shape) {
  const char* wanted = std::getenv("EINLASS_WALK_STEPS");
  if (wanted != nullptr) return std::atoi(wanted);
  return shape.kinds.size() == 1 ? 12'000 : 5'000;
}

class Walks : public testing::TestWithParam<Shape> {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override { server_->call({"FLUSHALL"}); }

  static RedisServer* server_;
};

RedisServer* Walks::server_ = nullptr;

TEST_P(Walks, BothStoresSayTheSame) {
  std::vector<std::unique_ptr<Walk>> walks;
  for (std::uint64_t i = 0; i < kWalks; ++i) {
    walks.push_back(std::make_unique<Walk>(*server_, GetParam(), 20'240'917 + i));
  }
  const int wanted = steps(GetParam());
  for (int done = 0; done < wanted; done += kWalks) {
    std::vector<RedisSide::Command> commands;
    for (const auto& walk : walks) commands.push_back(walk->step());
    const std::vector<Reply> replies = server_->exchange(commands);
    for (std::size_t i = 0; i < kWalks; ++i) {
      ASSERT_NE(replies[i]->type, REDIS_REPLY_ERROR) << replies[i]->str << "\n"
                                                     << walks[i]->difference();
      ASSERT_TRUE(walks[i]->same(numbers(replies[i].get()))) << walks[i]->difference();
    }
  }
  // A walk that is always granted or always denied would prove little.
  std::int64_t granted = 0;
  std::int64_t denied = 0;
  for (const auto& walk : walks) granted += walk->granted(), denied += walk->denied();
  EXPECT_GT(granted, wanted / 10);
  EXPECT_GT(denied, wanted / 10);
}

// Each algorithm alone, and mixtures.
std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      {"no_horizon_no_cost", {"sliding_log", "token_bucket"}, false, false},
      {"rate_and_concurrency", {"token_bucket", "concurrency"}, true, true},
      {"ahead", {"sliding_log", "token_bucket", "leaky_queue"}, true, true},
      {"reservations", {"smooth", "warm_up"}, true, true},
      {"windows", {"fixed_window", "sliding_window", "counter"}, true, true},
      {"logs_and_buckets",
       {"sliding_log", "token_bucket", "sliding_log", "leaky_meter"},
       true,
       true},
      {"all",
       {"sliding_log", "fixed_window", "leaky_queue", "smooth", "sliding_window_newest", "warm_up",
        "concurrency", "counter"},
       true,
       true},
  };
  for (const Kind kind : all_kinds()) all.push_back({std::string(kind), {kind}, true, true});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Limits, Walks, testing::ValuesIn(shapes()),
                         [](const auto& walk) { return walk.param.name; });

}  // namespace
}  // namespace einlass::conformance
