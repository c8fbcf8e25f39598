// What keeps a source out of its group is told until it is let in.
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

// As where there are fewer brokers than replicas of the topic that they keep the groups in.
TEST(Group, brokers_that_name_no_coordinator_of_the_group_are_told_until_they_do) {
  MockCluster& own = *new MockCluster;  // Ends with the process.
  own.create_topic("nobody", 1);
  own.fail(kFindCoordinatorApi, std::vector(500, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE));
  Gate g(options(own.brokers(), "nobody", "nobody"));
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_no_coordinator") != nullptr; }, 30s));
  EXPECT_NE(g.source->status().trouble.find("__consumer_offsets"), std::string::npos);
  rd_kafka_mock_clear_request_errors(own.get(), kFindCoordinatorApi);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.source->status().trouble, "");
  EXPECT_EQ(g.count_notices("kafka_no_coordinator"), 1u);
}

TEST(Group, why_the_group_lets_nobody_in_is_told_until_it_does) {
  MockCluster& own = *new MockCluster;  // Ends with the process.
  own.create_topic("refused", 1);
  own.fail(kJoinGroupApi, std::vector(500, RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED));
  Gate g(options(own.brokers(), "refused", "refused"));
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_group_refused") != nullptr; }));
  EXPECT_NE(g.source->status().trouble.find("group.max.size"), std::string::npos);
  rd_kafka_mock_clear_request_errors(own.get(), kJoinGroupApi);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.source->status().trouble, "");
}

}  // namespace
}  // namespace einlass::kafka
