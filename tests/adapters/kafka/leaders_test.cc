// A partition whose leader is away, or does not hand out what it has, is told of; the others go on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// As where a batch is damaged on the broker's disk.
TEST(Leaders, a_partition_that_cannot_be_read_on_is_named) {
  MockCluster& own = *new MockCluster;  // Ends with the process.
  own.create_topic("damaged", 1);
  Gate g(options(own.brokers(), "damaged", "damaged"));
  ASSERT_TRUE(g.run_until_assigned(1));
  own.fail(kFetchApi, std::vector(4, RD_KAFKA_RESP_ERR_INVALID_MSG));
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_error") != nullptr; }));
  const std::string& detail = g.notice("kafka_error")->detail;
  EXPECT_NE(detail.find("damaged partition 0 cannot be read on"), std::string::npos) << detail;
  Producer(own.brokers()).many("damaged", 0, 1);
  EXPECT_TRUE(g.run_until([&] { return g.sink.count == 1; }));
}

}  // namespace
}  // namespace einlass::kafka
