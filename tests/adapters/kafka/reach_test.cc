// What `einlass check --connect` asks of topics that are written, against librdkafka's mock
// cluster.
#include "adapters/kafka/check/reach.h"

#include <gtest/gtest.h>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;

constexpr std::int16_t kInitProducerIdApi = 22;
constexpr Duration kLongest = Duration::seconds(5);

class ReachTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster.create_topic("there", 1); }

  std::vector<std::string> letters(const std::vector<std::string>& topics) {
    return reach(DeadLettersOptions{cluster.brokers(), {}}, topics, kLongest);
  }

  std::string target() {
    TargetOptions options;
    options.name = "archive";
    options.topic = "there";
    options.brokers = cluster.brokers();
    return reach(options, kLongest);
  }

  static inline MockCluster& cluster = *new MockCluster;  // Ends with the process.
};

TEST_F(ReachTest, each_dead_letter_topic_that_is_not_there_or_not_to_be_seen_is_told) {
  cluster.say_of_topic("nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  cluster.say_of_topic("hidden", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  const auto reasons = letters({"nowhere", "there", "hidden"});
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_NE(reasons[0].find("the topic is not there"), std::string::npos) << reasons[0];
  EXPECT_NE(reasons[0].find("create it"), std::string::npos) << reasons[0];
  EXPECT_EQ(reasons[1], "");
  EXPECT_NE(reasons[2].find("grant it WRITE and DESCRIBE"), std::string::npos) << reasons[2];
}

TEST_F(ReachTest, a_login_that_may_write_nothing_is_told) {
  cluster.fail(kInitProducerIdApi, {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  const auto reasons = letters({"there"});
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons[0].find("grant it WRITE"), std::string::npos) << reasons[0];
  cluster.fail(kInitProducerIdApi, {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  EXPECT_NE(target().find("grant it WRITE"), std::string::npos);
  EXPECT_EQ(target(), "");
}

}  // namespace
}  // namespace einlass::kafka
