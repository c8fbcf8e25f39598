// What `einlass check --connect` asks of topics that are written, against librdkafka's mock
// cluster.
#include "adapters/kafka/check/reach.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;

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
  cluster.create_topic("hidden", 0);  // Brokers name no partitions of it.
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

TEST_F(ReachTest, brokers_that_name_no_coordinator_of_the_group_are_told_of) {
  SourceOptions source = options(cluster.brokers(), "readers", "there");
  EXPECT_TRUE(reach(source, kLongest).trouble.empty());
  MockCluster own;
  own.create_topic("there", 1);
  own.fail(kFindCoordinatorApi, std::vector(500, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE));
  source.brokers = own.brokers();
  const auto trouble = reach(source, Duration::seconds(1)).trouble;
  ASSERT_EQ(trouble.size(), 1u);
  EXPECT_NE(trouble[0].find("__consumer_offsets"), std::string::npos) << trouble[0];
}

// None is named to it either.
TEST_F(ReachTest, a_login_that_may_not_use_the_group_is_told) {
  MockCluster own;
  own.create_topic("there", 1);
  own.fail(kFindCoordinatorApi, std::vector(500, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED));
  const auto trouble = reach(options(own.brokers(), "readers", "there"), kLongest).trouble;
  ASSERT_EQ(trouble.size(), 1u);
  EXPECT_NE(trouble[0].find("grant it READ on the group"), std::string::npos) << trouble[0];
}

// librdkafka says why only when it has waited for longer than a check does.
TEST_F(ReachTest, whoever_takes_the_connection_and_is_no_broker_is_told_as_one_that_is_away) {
  boost::asio::io_context io(1);
  const boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::address_v4::loopback(), 0});
  DeadLettersOptions options;
  options.brokers = "127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  const auto reasons = reach(options, std::vector<std::string>{"there"}, Duration::millis(500));
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons[0].find("check kafka.brokers"), std::string::npos) << reasons[0];
}

}  // namespace
}  // namespace einlass::kafka
