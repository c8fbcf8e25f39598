// How much one turn of the loop reads.
#include <gtest/gtest.h>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

struct ReadingBudget : ::testing::Test {
  // A partition whose messages are here, and not read yet.
  void SetUp() override {
    cluster.create_topic("budget", 1);
    gate.emplace(options(cluster.brokers(), "budget", "budget"));
    ASSERT_TRUE(gate->run_until_assigned(1));
    gate->source->hold(gate->id_of(0));
  }

  void poll(int budget) {
    producer.flush();
    gate->run_for(400ms);
    ASSERT_EQ(gate->sink.count, 0u);
    gate->source->read(gate->id_of(0));
    gate->source->poll(now(), budget);
  }

  MockCluster cluster;
  Producer producer{cluster.brokers()};
  std::optional<Gate> gate;
};

TEST_F(ReadingBudget, large_messages_take_more_of_it) {
  producer.many("budget", 0, 20, 160 * 1024);  // The mock keeps 5 MiB of a partition.
  poll(164);
  EXPECT_EQ(gate->sink.count, 4u) << "each of 40 times 4 KiB counts as 41";
  ASSERT_TRUE(gate->run_until([&] { return gate->sink.count == 20; }));
}

TEST_F(ReadingBudget, so_do_messages_with_many_headers) {
  for (int i = 0; i < 40; ++i) {
    producer.produce("budget", 0, "x", std::nullopt, Headers(640, {"h", "v"}));
  }
  poll(44);
  EXPECT_EQ(gate->sink.count, 4u) << "each of ten times 64 headers counts as eleven";
}

}  // namespace
}  // namespace einlass::kafka
