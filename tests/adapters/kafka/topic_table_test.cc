// The fleet's table in a compacted topic of a real broker, and of one that comes and goes.
#include "adapters/kafka/table/topic_table.h"

#include <boost/asio/post.hpp>
#include <cstring>

#include "adapters/kafka/check/cleanup_policy.h"
#include "adapters/kafka/real_broker_fixture.h"
#include "adapters/table_listener.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using einlass::testing::TableListener;
using einlass::testing::write_and_wait;
using Texts = TableListener::Texts;

struct Reader {
  Reader(const std::string& brokers, const std::string& topic)
      : table(io, {.brokers = brokers, .topic = topic, .properties = {}}, listener,
              [this](const Notice& notice) { notices.push_back(notice); }) {}

  bool until(const std::function<bool()>& done) { return einlass::testing::run_until(io, done); }
  bool until_whole() {
    return until([this] { return listener.wholes > 0 && listener.trouble.empty(); });
  }

  boost::asio::io_context io;
  TableListener listener;
  std::vector<Notice> notices;
  TopicTable table;
};

class TopicTableTest : public RealBrokerTest {};

TEST_F(TopicTableTest, reads_what_is_there_and_then_what_comes) {
  admin->create_topic("quotas", 1);
  producer->produce("quotas", 0, "0", "l/old");
  producer->produce("quotas", 0, "1", "l/acme");
  producer->produce("quotas", 0, std::nullopt, "l/old");
  producer->flush();
  Reader first(broker->brokers(), "quotas"), second(broker->brokers(), "quotas");
  ASSERT_TRUE(first.until_whole() && second.until_whole());
  EXPECT_EQ(second.listener.texts, (Texts{{"l/acme", "1"}}));

  EXPECT_EQ(write_and_wait(first.io, first.table, "l/b", "2"), "");
  EXPECT_EQ(write_and_wait(first.io, first.table, "l/acme", std::nullopt), "");
  const Texts now{{"l/b", "2"}};
  EXPECT_TRUE(second.until([&] { return second.listener.texts == now; }));
  EXPECT_TRUE(first.until([&] { return first.listener.texts == now; })) << "also by who wrote it";
  EXPECT_EQ(second.listener.readings, 1);
}

TEST_F(TopicTableTest, an_empty_topic_is_whole_at_once) {
  admin->create_topic("none-yet", 2);
  Reader reader(broker->brokers(), "none-yet");
  EXPECT_TRUE(reader.until_whole());
  EXPECT_TRUE(reader.listener.texts.empty());
}

TEST_F(TopicTableTest, says_that_the_topic_is_not_there_and_reads_it_once_it_is) {
  Reader reader(broker->brokers(), "later-quotas");
  ASSERT_TRUE(reader.until([&] { return !reader.listener.trouble.starts_with("nothing"); }));
  EXPECT_EQ(reader.listener.trouble,
            "the topic later-quotas is not there; create it, with cleanup.policy=compact and one "
            "partition");
  EXPECT_EQ(reader.listener.wholes, 0);
  admin->create_topic("later-quotas", 1);
  EXPECT_TRUE(reader.until_whole());
}

TEST_F(TopicTableTest, one_that_is_made_anew_is_read_anew) {
  admin->create_topic("made-anew", 1);
  producer->produce("made-anew", 0, "1", "l/old");
  producer->flush();
  Reader reader(broker->brokers(), "made-anew");
  ASSERT_TRUE(reader.until_whole());
  admin->delete_topic("made-anew");
  ASSERT_TRUE(reader.until([&] { return reader.listener.trouble.ends_with("one partition"); }));
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/old", "1"}})) << "what was read last holds";
  admin->create_topic("made-anew", 1);
  EXPECT_TRUE(reader.until([&] { return reader.listener.wholes == 2; }));
  EXPECT_TRUE(reader.listener.texts.empty());
}

// So soon that nobody who asks now and then sees that it was away.
TEST_F(TopicTableTest, one_that_is_made_anew_at_once_is_read_anew) {
  admin->create_topic("anew-at-once", 1);
  for (const char* key : {"l/a", "l/b", "l/c"}) producer->produce("anew-at-once", 0, "1", key);
  producer->flush();
  Reader reader(broker->brokers(), "anew-at-once");
  ASSERT_TRUE(reader.until_whole());
  admin->delete_topic("anew-at-once");
  admin->create_topic("anew-at-once", 1);
  producer->produce("anew-at-once", 0, "2", "l/d");
  producer->flush();
  const Texts now{{"l/d", "2"}};
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts == now; }));
  EXPECT_TRUE(reader.until_whole());
}

// The brokers revoke nothing of it.
TEST_F(TopicTableTest, is_read_however_soon_the_group_takes_a_member_for_dead) {
  admin->create_topic("soon-dead", 1);
  boost::asio::io_context io;
  TableListener listener;
  const TopicTable table(
      io,
      {.brokers = broker->brokers(),
       .topic = "soon-dead",
       .properties = {{"session.timeout.ms", "6000"}, {"max.poll.interval.ms", "6000"}}},
      listener, [](const Notice&) {});
  EXPECT_TRUE(einlass::testing::run_until(io, [&] { return listener.wholes > 0; }));
}

TEST_F(TopicTableTest, how_kafka_cleans_the_topic_is_told) {
  SourceOptions options;
  options.brokers = broker->brokers();
  options.group = "checks";
  for (const char* policy : {"compact", "delete", "compact,delete"}) {
    const std::string topic = std::string("cleaned-by-") + std::to_string(std::strlen(policy));
    admin->create_topic(topic, 1, policy);
    EXPECT_EQ(cleanup_policy(options, topic, Duration::seconds(5)), policy);
  }
  EXPECT_EQ(cleanup_policy(options, "none-such", Duration::seconds(5)), std::nullopt);
}

void write_one_quota(MockCluster& cluster) {
  cluster.create_topic("quotas", 1);
  Producer writer(cluster.brokers());
  writer.produce("quotas", 0, "1", "l/acme");
  writer.flush();
}

TEST(TopicTable, KeepsWhatItKnowsWhileTheBrokersAreAway) {
  MockCluster cluster;
  write_one_quota(cluster);
  Reader reader(cluster.brokers(), "quotas");
  ASSERT_TRUE(reader.until_whole());
  cluster.down();
  ASSERT_TRUE(reader.until([&] { return !reader.listener.trouble.empty(); }));
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/acme", "1"}}));
  cluster.up();
  EXPECT_TRUE(reader.until([&] { return reader.listener.trouble.empty(); }));
  EXPECT_EQ(reader.listener.wholes, 1);
}

// The first has had as long to read as the second took for all.
TEST(TopicTable, ALongTopicKeepsTheLoopFromNothingElse) {
  constexpr int kRecords = 20'000;
  MockCluster cluster;
  cluster.create_topic("quotas", 1);
  Producer writer(cluster.brokers());
  for (int i = 0; i < kRecords; ++i) {
    writer.produce("quotas", 0, "1", "l/" + std::to_string(i));
  }
  writer.flush();
  Reader first(cluster.brokers(), "quotas"), second(cluster.brokers(), "quotas");
  ASSERT_TRUE(second.until_whole());
  bool served = false;
  boost::asio::post(first.io, [&] { served = true; });
  ASSERT_TRUE(first.until([&] { return served; }));
  EXPECT_LE(first.listener.entries, 2'000) << "that many waited before it";
  ASSERT_TRUE(first.until_whole());
  EXPECT_EQ(first.listener.texts, second.listener.texts);
  EXPECT_EQ(first.listener.entries, kRecords);
}

TEST(TopicTable, OfWhatIsTooLongNoMoreIsToldThanThatItIs) {
  MockCluster cluster;
  cluster.create_topic("quotas", 1);
  Producer writer(cluster.brokers());
  writer.produce("quotas", 0, std::string(kLongestTableValue, 'x'), "l/fits");
  writer.produce("quotas", 0, std::string(100'000, 'x'), "l/long");
  writer.produce("quotas", 0, "1", std::string(100'000, 'k'));
  writer.flush();
  Reader reader(cluster.brokers(), "quotas");
  ASSERT_TRUE(reader.until_whole());
  const Texts told{{"l/fits", std::string(kLongestTableValue, 'x')},
                   {"l/long", std::string(kLongestTableValue + 1, 'x')},
                   {std::string(kLongestTableKey + 1, 'k'), "1"}};
  EXPECT_TRUE(reader.listener.texts == told);
}

// The topic's metadata is there all the time.
TEST(TopicTable, IsAwayForAsLongAsItMayNotBeRead) {
  MockCluster cluster;
  write_one_quota(cluster);
  Reader reader(cluster.brokers(), "quotas");
  ASSERT_TRUE(reader.until_whole());
  cluster.fail(kFetchApi, std::vector(1000, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED));
  ASSERT_TRUE(reader.until([&] { return !reader.listener.trouble.empty(); }));
  const auto two_looks = std::chrono::steady_clock::now() + std::chrono::seconds(7);
  ASSERT_TRUE(reader.until([&] {
    return reader.listener.trouble.empty() || std::chrono::steady_clock::now() > two_looks;
  }));
  EXPECT_NE(reader.listener.trouble, "") << "nothing was read since";
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/acme", "1"}})) << "what was read last holds";
  rd_kafka_mock_clear_request_errors(cluster.get(), kFetchApi);
  EXPECT_TRUE(reader.until([&] { return reader.listener.trouble.empty(); }));
  EXPECT_EQ(reader.listener.wholes, 2);
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/acme", "1"}}));
}

// What the topic still has from before a key's last word held once, and is not to hold again.
TEST(TopicTable, OfWhatIsReadAnewOnlyTheLastWordIsTold) {
  MockCluster cluster;
  cluster.create_topic("quotas", 1);
  Producer writer(cluster.brokers());
  for (const char* text : {"1", "2", "3"}) writer.produce("quotas", 0, text, "l/acme");
  writer.produce("quotas", 0, "1", "l/gone");
  writer.produce("quotas", 0, std::nullopt, "l/gone");
  writer.flush();
  Reader reader(cluster.brokers(), "quotas");
  ASSERT_TRUE(reader.until_whole());
  const int before = reader.listener.entries;
  cluster.fail(kFetchApi, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ASSERT_TRUE(reader.until([&] { return reader.listener.wholes == 2; }));
  EXPECT_EQ(reader.listener.entries - before, 2) << "each key once";
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/acme", "3"}}));
}

// Who was told so may have done otherwise since.
TEST(TopicTable, WhatWasNotWrittenIsNotWrittenLater) {
  MockCluster cluster;
  cluster.create_topic("quotas", 1);
  Reader reader(cluster.brokers(), "quotas");
  ASSERT_TRUE(reader.until_whole());
  cluster.down();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_NE(write_and_wait(reader.io, reader.table, "l/acme", "1"), "");
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_LT(took, std::chrono::seconds(5)) << "who asks waits no longer";
  cluster.up();
  ASSERT_TRUE(reader.until([&] { return reader.listener.trouble.empty(); }));
  EXPECT_EQ(write_and_wait(reader.io, reader.table, "l/b", "2"), "");
  EXPECT_TRUE(reader.until([&] { return reader.listener.texts.contains("l/b"); }));
  EXPECT_EQ(reader.listener.texts, (Texts{{"l/b", "2"}}));
}

}  // namespace
}  // namespace einlass::kafka
