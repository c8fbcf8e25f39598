// A partition whose leader is away is told of until it is led again; the others go on.
#include <gtest/gtest.h>

#include <string>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;

std::string stuck(const Gate& gate, std::int32_t number) {
  for (const auto& partition : gate.source->status().partitions) {
    if (partition.number == PartitionNumber{number}) return partition.stuck;
  }
  return "not assigned";
}

TEST(Leaders, a_partition_whose_leader_is_away_is_told_until_it_is_back) {
  MockCluster& own = *new MockCluster(2);  // Ends with the process.
  own.create_topic("led", 2);
  rd_kafka_mock_partition_set_leader(own.get(), "led", 0, 1);
  rd_kafka_mock_partition_set_leader(own.get(), "led", 1, 2);
  rd_kafka_mock_coordinator_set(own.get(), "group", "led", 1);
  Producer producer(own.brokers());
  producer.many("led", 0, 5);
  Gate g(options(own.brokers(), "led", "led"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 5; }));
  rd_kafka_mock_broker_set_down(own.get(), 2);
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_partition_offline") != nullptr; }));
  EXPECT_NE(g.notice("kafka_partition_offline")->detail.find("for led 1,"), std::string::npos);
  EXPECT_NE(stuck(g, 1), "");
  EXPECT_EQ(g.source->status().trouble, stuck(g, 1));
  EXPECT_EQ(stuck(g, 0), "");
  producer.many("led", 0, 5);
  EXPECT_TRUE(g.run_until([&] { return g.sink.count == 10; }));
  rd_kafka_mock_broker_set_up(own.get(), 2);
  EXPECT_TRUE(g.run_until([&] { return g.notice("kafka_partition_online") != nullptr; }));
  EXPECT_EQ(stuck(g, 1), "");
  EXPECT_EQ(g.source->status().trouble, "");
  EXPECT_EQ(g.count_notices("kafka_partition_offline"), 1u);
}

}  // namespace
}  // namespace einlass::kafka
