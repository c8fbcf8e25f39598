// Topics by a pattern: whose they are, and what librdkafka is told not to see.
#include "adapters/kafka/client/topic_routes.h"

#include <gtest/gtest.h>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;

constexpr core::RouteId kFirst{1}, kSecond{2}, kNamed{3};

SourceOptions with_patterns() {
  SourceOptions made = options("127.0.0.1:1", "g", "results.named");
  made.topics = {{"^results\\.", kFirst}, {"^results", kSecond}, {"results.named", kNamed}};
  made.left_out = {"results.dead"};
  return made;
}

TEST(TopicRoutes, ANameGoesBeforePatternsAndTheFirstPatternBeforeTheNext) {
  const TopicRoutes routes(with_patterns());
  EXPECT_EQ(routes.find("results.named"), kNamed);
  EXPECT_EQ(routes.find("results.a"), kFirst);
  EXPECT_EQ(routes.find("results-a"), kSecond);
  EXPECT_EQ(routes.find("results.dead"), std::nullopt);
  EXPECT_EQ(routes.find("other"), std::nullopt);
}

TEST(TopicRoutes, WhatKafkaKeepsForItselfIsReadOnlyByItsName) {
  SourceOptions made = with_patterns();
  made.topics.push_back({"^.*", kSecond});
  EXPECT_EQ(TopicRoutes(made).find("__consumer_offsets"), std::nullopt);
  EXPECT_EQ(TopicRoutes(made).find("__other"), kSecond);
  made.topics.push_back({"__consumer_offsets", kNamed});
  EXPECT_EQ(TopicRoutes(made).find("__consumer_offsets"), kNamed);
}

TEST(TopicRoutes, LibrdkafkaIsToldWhatIsLeftOutBesidesWhatTheUserLeavesOut) {
  SourceOptions made = with_patterns();
  made.properties["topic.blacklist"] = "^mine";
  EXPECT_EQ(property(source_configuration(made, rd_kafka_version()).get(), "topic.blacklist"),
            "^mine,^__cluster_metadata$,^__consumer_offsets$,^__share_group_state$,"
            "^__transaction_state$,^results\\.dead$");
  made.topics = {{"results", kNamed}};
  EXPECT_EQ(property(source_configuration(made, rd_kafka_version()).get(), "topic.blacklist"),
            "^mine")
      << "without a pattern nothing is hidden";
}

TEST(TopicRoutes, TopicsThatFitAreReadAndTheOthersAreNotSeen) {
  MockCluster cluster;
  cluster.create_topic("results.a", 2);
  cluster.create_topic("results.dead", 1);
  SourceOptions made = with_patterns();
  made.brokers = cluster.brokers();
  made.topics = {{"^results\\.", kFirst}};
  made.properties["topic.metadata.refresh.interval.ms"] = "500";
  Gate g(made);
  EXPECT_EQ(g.source->status().trouble,
            "not yet in the consumer group; it is joined once there is a topic that fits "
            "^results\\.");
  ASSERT_TRUE(g.run_until_assigned(2));
  EXPECT_EQ(g.source->status().trouble, "");
  Producer producer(cluster.brokers());
  producer.many("results.a", 0, 10);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 10; }));
  g.leave();
}

}  // namespace
}  // namespace einlass::kafka
