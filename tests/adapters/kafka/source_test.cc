// The source against librdkafka's mock cluster. The mock lets three seconds pass before a group has
// its first assignment, so all gates are started together and each test takes its own.
#include "adapters/kafka/source/source.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <numeric>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class SourceTest : public ::testing::Test {
 protected:
  static constexpr int kPartitions = 4;

  static void SetUpTestSuite() {
    cluster = new MockCluster;
    producer = new Producer(cluster->brokers());
    for (const char* name : {"order", "hold", "inside", "bytes", "turns", "events", "cost", "slots",
                             "large", "headers"}) {
      start(name, *cluster);
    }
    // Those that break their cluster have one of their own.
    for (const char* name : {"commit", "fenced", "lost", "outage", "unasked", "metadata", "last", "unrightful"}) {
      own_clusters[name] = new MockCluster;
      start(name, *own_clusters[name]);
    }
  }

  static void start(const std::string& name, MockCluster& on) {
    on.create_topic(name, kPartitions);
    if (name == "unasked") {
      on.fail(kOffsetFetchApi, std::vector(500, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED));
    }
    SourceOptions made = options(on.brokers(), name, name);
    made.revoke_timeout = Duration::seconds(2);
    if (name == "fenced" || name == "lost") made.properties["session.timeout.ms"] = "3000";
    gates[name] = std::make_unique<Gate>(made);
  }

  // The clusters end with the process, which is quicker than to take them down.
  static void TearDownTestSuite() { gates.clear(); }

  static Gate& gate(const std::string& name) {
    Gate& found = *gates.at(name);
    EXPECT_TRUE(found.run_until_assigned(kPartitions)) << name;
    return found;
  }

  static inline MockCluster* cluster = nullptr;
  static inline auto& own_clusters = *new std::map<std::string, MockCluster*>;
  static inline Producer* producer = nullptr;
  static inline std::map<std::string, std::unique_ptr<Gate>> gates;
};

std::vector<std::int64_t> upto(std::int64_t end) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(SourceTest, says_which_partitions_it_was_given) {
  Gate& g = gate("slots");
  const auto assigned = g.all<core::PartitionAssigned>();
  ASSERT_EQ(assigned.size(), 4u);
  std::set<std::uint32_t> ids;
  for (const auto& one : assigned) {
    ids.insert(one.partition.value);
    EXPECT_EQ(one.route.value, 7);
  }
  EXPECT_EQ(ids, (std::set<std::uint32_t>{0, 1, 2, 3}));
  const SourceStatus status = g.source->status();
  EXPECT_TRUE(status.joined);
  EXPECT_FALSE(status.brokers_down);
  EXPECT_EQ(status.trouble, "");
  EXPECT_EQ(status.partitions[2].topic, "slots");
  EXPECT_EQ(status.partitions[2].committed.value, -1);
}

TEST_F(SourceTest, reads_each_partition_in_order_and_without_a_gap) {
  Gate& g = gate("order");
  for (int number = 0; number < kPartitions; ++number) producer->many("order", number, 5000);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 20'000; })) << g.sink.count;
  for (int number = 0; number < kPartitions; ++number) {
    EXPECT_EQ(g.sink.offsets(number), upto(5000));
  }
}

TEST_F(SourceTest, wakes_up_for_single_messages) {
  Gate& g = gate("events");
  for (int i = 0; i < 20; ++i) {
    producer->many("events", i % kPartitions, 1);
    ASSERT_TRUE(
        g.run_until([&] { return g.sink.count == static_cast<std::uint64_t>(i + 1); }, 900ms))
        << "the wake-up of message " << i << " was lost (the tick comes after 1 s)";
  }
}

TEST_F(SourceTest, partitions_take_turns_within_the_budget) {
  Gate& g = gate("turns");
  for (int number = 0; number < kPartitions; ++number) g.source->hold(g.id_of(number));
  for (int number = 0; number < kPartitions; ++number) producer->many("turns", number, 2000);
  g.run_for(400ms);
  ASSERT_EQ(g.sink.count, 0u);
  for (int number = 0; number < kPartitions; ++number) g.source->read(g.id_of(number));
  g.source->poll(now(), 400);
  EXPECT_EQ(g.sink.count, 400u);
  EXPECT_TRUE(g.source->has_more());
  for (int number = 0; number < kPartitions; ++number) {
    EXPECT_GE(g.sink.offsets(number).size(), 64u);
  }
}

TEST_F(SourceTest, a_held_partition_yields_nothing_and_goes_on_at_once_without_loss) {
  Gate& g = gate("hold");
  producer->many("hold", 1, 3000);
  g.sink.while_taking = [&](const Message&) {
    if (g.sink.count == 1000) g.source->hold(g.id_of(1));
  };
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 1000; }));
  producer->many("hold", 1, 1000);
  producer->many("hold", 2, 10);
  g.run_for(300ms);
  EXPECT_EQ(g.sink.offsets(1).size(), 1000u);
  EXPECT_EQ(g.sink.offsets(2).size(), 10u);
  EXPECT_TRUE(g.source->status().partitions[g.id_of(1).value].held);

  const auto before = steady_clock::now();
  g.source->read(g.id_of(1));
  EXPECT_TRUE(g.source->has_more());
  g.source->poll(now(), 1);
  const auto resumed = steady_clock::now() - before;
  EXPECT_EQ(g.sink.offsets(1).size(), 1001u);
  EXPECT_LT(resumed, 5ms);
  RecordProperty("resume_us", static_cast<int>(resumed / 1us));
  ASSERT_TRUE(g.run_until([&] { return g.sink.offsets(1).size() == 4000; }));
  EXPECT_EQ(g.sink.offsets(1), upto(4000));
}

TEST_F(SourceTest, stops_at_once_when_it_is_held_while_the_sink_takes) {
  Gate& g = gate("inside");
  g.sink.while_taking = [&](const Message& message) { g.source->hold(message.partition); };
  for (int number = 0; number < kPartitions; ++number) producer->many("inside", number, 100);
  for (std::uint64_t round = 1; round <= 20; ++round) {
    ASSERT_TRUE(g.run_until([&] { return g.sink.count == 4 * round; })) << round;
    g.turn(1ms);
    EXPECT_EQ(g.sink.count, 4 * round);
    EXPECT_FALSE(g.source->has_more());
    for (int number = 0; number < kPartitions; ++number) g.source->read(g.id_of(number));
  }
  for (int number = 0; number < kPartitions; ++number) EXPECT_EQ(g.sink.offsets(number), upto(20));
}

TEST_F(SourceTest, hands_over_nulls_empties_and_every_byte) {
  Gate& g = gate("bytes");
  std::string every(256, '\0');
  std::iota(every.begin(), every.end(), '\0');
  const Headers headers = {{"name", "value"}, {"null", std::nullopt}, {"empty", ""},
                           {"", "no name"},   {"name", every},        {"\xff\x01", every}};
  producer->produce("bytes", 0, std::nullopt, std::nullopt);
  producer->produce("bytes", 0, "", "");
  producer->produce("bytes", 0, every, every, headers);
  producer->flush();
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 3; }));
  EXPECT_EQ(g.sink.taken[0].value, std::nullopt);
  EXPECT_EQ(g.sink.taken[0].key, std::nullopt);
  EXPECT_TRUE(g.sink.taken[0].headers.empty());
  EXPECT_GT(g.sink.taken[0].timestamp_ms, 1'600'000'000'000);
  EXPECT_EQ(g.sink.taken[1].value, "");
  EXPECT_EQ(g.sink.taken[1].key, "");
  EXPECT_EQ(g.sink.taken[2].value, every);
  EXPECT_EQ(g.sink.taken[2].key, every);
  EXPECT_EQ(g.sink.taken[2].headers, headers);
}

TEST_F(SourceTest, commits_and_says_so_exactly_once) {
  Gate& g = gate("commit");
  MockCluster& own = *own_clusters.at("commit");
  const auto id = g.id_of(3);
  EXPECT_EQ(g.commit({{id, Offset{5}, {}}}), core::CommitResult::committed);
  EXPECT_EQ(g.source->status().partitions[id.value].committed.value, 5);
  EXPECT_EQ(g.commit({}), core::CommitResult::committed);
  EXPECT_EQ(g.commit({{id, Offset{6}, {}}, {g.id_of(1), Offset{2}, {}}}),
            core::CommitResult::committed);
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS});
  EXPECT_EQ(g.commit({{id, Offset{7}, {}}}), core::CommitResult::failed);
  EXPECT_EQ(g.source->status().partitions[id.value].committed.value, 6);
  EXPECT_EQ(g.notices.size(), 0u);
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_INVALID_COMMIT_OFFSET_SIZE});
  EXPECT_EQ(g.commit({{id, Offset{7}, {}}}), core::CommitResult::failed);
  EXPECT_EQ(g.count_notices("kafka_error"), 1u);
  EXPECT_EQ(g.commit({{id, Offset{7}, {}}}), core::CommitResult::committed);
  g.run_for(50ms);
  EXPECT_EQ(g.all<core::CommitEnded>().size(), 6u);
  EXPECT_EQ(g.commit({{core::PartitionId{99}, Offset{1}, {}}}), core::CommitResult::failed);
}

TEST_F(SourceTest, a_right_that_a_commit_misses_is_told_until_one_succeeds) {
  Gate& g = gate("unrightful");
  MockCluster& own = *own_clusters.at("unrightful");
  const auto id = g.id_of(0);
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  EXPECT_EQ(g.commit({{id, Offset{5}, {}}}), core::CommitResult::failed);
  const std::string topic = g.source->topic_of(id);
  EXPECT_NE(g.source->status().trouble.find("may not use the topic " + topic), std::string::npos)
      << g.source->status().trouble;
  EXPECT_EQ(g.source->status().partitions[g.id_of(1).value].stuck, "");
  EXPECT_EQ(g.commit({{id, Offset{5}, {}}}), core::CommitResult::committed);
  EXPECT_EQ(g.source->status().trouble, "");
}

TEST_F(SourceTest, a_refused_member_is_fenced_loses_its_partitions_and_joins_again) {
  Gate& g = gate("fenced");
  MockCluster& own = *own_clusters.at("fenced");
  const auto id = g.id_of(0);
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  EXPECT_EQ(g.commit({{id, Offset{5}, {}}}), core::CommitResult::fenced);
  ASSERT_TRUE(g.run_until([&] { return g.all<core::PartitionLost>().size() == 4; }));
  EXPECT_TRUE(g.all<core::PartitionRevoked>().empty());
  EXPECT_TRUE(!g.source->status().joined && g.source->status().lost == 4);
  EXPECT_EQ(g.commit({{id, Offset{5}, {}}}), core::CommitResult::fenced);
  EXPECT_EQ(g.count_notices("kafka_assignment_lost"), 1u);
  g.done_with_all();
  EXPECT_TRUE(g.source->status().partitions.empty());
  ASSERT_TRUE(g.run_until([&] { return g.all<core::PartitionAssigned>().size() == 8; }));
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{5}, {}}}), core::CommitResult::committed);
}

TEST_F(SourceTest, a_commit_that_waits_when_the_partitions_are_lost_ends_once) {
  Gate& g = gate("lost");
  MockCluster& own = *own_clusters.at("lost");
  own.down();
  const std::vector<core::CommitEntry> entries = {{g.id_of(0), Offset{5}, {}}};
  std::size_t begun = 0;
  ASSERT_TRUE(g.run_until([&] {
    if (g.all<core::PartitionLost>().size() == 4) return true;
    if (g.all<core::CommitEnded>().size() < begun) return false;
    g.source->commit(entries);  // Waits in librdkafka for a broker; may fail, then once more.
    ++begun;
    return false;
  }));
  const auto ended = g.all<core::CommitEnded>();
  ASSERT_EQ(ended.size(), begun);
  EXPECT_NE(ended.back().result, core::CommitResult::committed);
  EXPECT_FALSE(g.source->status().joined);
  g.done_with_all();
  own.up();
  ASSERT_TRUE(g.run_until([&] { return g.all<core::PartitionAssigned>().size() == 8; }));
  EXPECT_TRUE(g.source->status().joined);
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{3}, {}}}), core::CommitResult::committed);
  EXPECT_EQ(g.source->status().partitions[g.id_of(0).value].committed.value, 3);
  g.run_for(500ms);
  EXPECT_EQ(g.all<core::CommitEnded>().size(), begun + 1) << "a late answer was taken for another";
}

TEST_F(SourceTest, says_when_no_broker_answers_and_when_one_does_again) {
  Gate& g = gate("outage");
  MockCluster& own = *own_clusters.at("outage");
  Producer(own.brokers()).many("outage", 0, 10);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 10; }));
  own.down();
  ASSERT_TRUE(g.run_until([&] { return g.source->status().brokers_down; }));
  EXPECT_NE(g.source->status().trouble, "");
  g.run_for(1500ms);
  EXPECT_EQ(g.count_notices("kafka_brokers_down"), 1u);
  EXPECT_TRUE(g.source->status().brokers_down);
  own.up();
  ASSERT_TRUE(g.run_until([&] { return !g.source->status().brokers_down; })) << "with no traffic";
  EXPECT_EQ(g.source->status().trouble, "");
  Producer(own.brokers()).many("outage", 0, 10);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 20; }));
  EXPECT_EQ(g.sink.offsets(0), upto(20));
}

TEST_F(SourceTest,
       where_the_group_stands_is_asked_until_it_is_known_and_a_revocation_does_not_wait) {
  Gate& g = *gates.at("unasked");
  MockCluster& own = *own_clusters.at("unasked");
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_offsets_unknown") != nullptr; }));
  EXPECT_NE(g.source->status().trouble, "");
  g.run_for(2500ms);
  EXPECT_EQ(g.count_notices("kafka_offsets_unknown"), 1u);
  EXPECT_TRUE(g.all<core::PartitionAssigned>().empty());
  ASSERT_EQ(g.source->status().partitions.size(), 4u);
  EXPECT_TRUE(g.source->status().partitions[0].waiting);
  ASSERT_TRUE(g.run_until([&] { return g.source->status().partitions[0].log_start.has_value(); }));
  EXPECT_FALSE(g.source->status().partitions[0].lag) << "nobody knows what is committed";

  SourceOptions made = options(own.brokers(), "unasked", "unasked");
  Gate other(made);
  const auto both_have_two = [&] {
    g.turn(2ms);
    other.turn(2ms);
    return g.source->status().partitions.size() == 2 &&
           other.source->status().partitions.size() == 2;
  };
  const auto deadline = steady_clock::now() + 40s;
  while (!both_have_two() && steady_clock::now() < deadline) continue;
  ASSERT_TRUE(both_have_two()) << "the group waited for what could not be asked";
  EXPECT_TRUE(g.all<core::PartitionRevoked>().empty()) << "of what the gate never had";
  rd_kafka_mock_clear_request_errors(own.get(), kOffsetFetchApi);
  ASSERT_TRUE(g.run_until_assigned(2));
  EXPECT_EQ(g.source->status().trouble, "");
}

TEST_F(SourceTest, the_trouble_of_a_topic_that_only_a_pattern_fits_ends_when_that_is_given_back) {
  MockCluster& own = *own_clusters.emplace("pattern", new MockCluster).first->second;
  own.create_topic("fits.one", 1);
  own.fail(kOffsetFetchApi, std::vector(500, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED));
  Gate g(options(own.brokers(), "pattern", "^fits\\..*"));
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_offsets_unknown") != nullptr; }));
  EXPECT_NE(g.source->status().trouble, "");
  own.say_of_topic("fits.one", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  ASSERT_TRUE(g.run_until([&] { return g.source->status().partitions.empty(); }));
  EXPECT_TRUE(g.run_until([&] { return g.source->status().trouble.empty(); }))
      << g.source->status().trouble;
}

// The mock says nothing of configurations, as brokers do to a login without the right to them.
TEST_F(SourceTest, of_two_topics_the_one_that_is_not_there_is_missing_until_it_is) {
  MockCluster& own = *own_clusters.emplace("one of two", new MockCluster).first->second;
  own.create_topic("there", 1);
  own.say_of_topic("orders", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  SourceOptions made = options(own.brokers(), "one-of-two", "there");
  made.topics.push_back({"orders", core::RouteId{8}});
  Gate g(made);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_TRUE(g.run_until([&] { return g.source->status().missing_topics.contains("orders"); }));
  EXPECT_TRUE(g.source->status().joined);
  own.say_of_topic("orders", RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_TRUE(g.run_until([&] { return g.source->status().missing_topics.empty(); }));
}

TEST_F(SourceTest, a_commit_goes_without_metadata_where_the_brokers_take_too_little) {
  Gate& g = gate("metadata");
  MockCluster& own = *own_clusters.at("metadata");
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{5}, "e2GBB"}}), core::CommitResult::committed);
  EXPECT_EQ(g.source->status().partitions[g.id_of(0).value].committed.value, 5);
  ASSERT_NE(g.notice("kafka_metadata_refused"), nullptr);
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{6}, "e2HBB"}}), core::CommitResult::committed);
  EXPECT_EQ(g.count_notices("kafka_metadata_refused"), 1u);
}

TEST_F(SourceTest, a_last_commit_that_never_was_is_told) {
  Gate& g = gate("last");
  MockCluster& own = *own_clusters.at("last");
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{5}, {}}, {g.id_of(1), Offset{5}, {}}}),
            core::CommitResult::committed);
  own.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_INVALID_COMMIT_OFFSET_SIZE});
  EXPECT_EQ(g.commit({{g.id_of(1), Offset{7}, {}}}), core::CommitResult::failed);
  g.leave();
  ASSERT_EQ(g.count_notices("kafka_last_commit_failed"), 1u);
  EXPECT_NE(g.notice("kafka_last_commit_failed")->detail.find("last partition 1"),
            std::string::npos);
}

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return 1e6 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(SourceTest, costs_little_for_a_message) {
  Gate& g = gate("cost");
  g.sink.keep = false;
  for (int number = 0; number < kPartitions; ++number) producer->many("cost", number, 20'000, 100);
  const double before = cpu_us();
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 80'000; }));
  const double each = (cpu_us() - before) / 80'000;
  RecordProperty("cpu_ns_per_message", static_cast<int>(1000 * each));
  std::printf("[   COST   ] %.3f us of the loop's thread for a message of 100 B\n", each);
  EXPECT_LT(each, 20.0);
}

TEST(SourceAlone, refuses_what_is_no_topic) {
  for (const char* name : {"^results(", "", "two words", "a/b"}) {
    EXPECT_THROW(Gate(options("127.0.0.1:9", "group", name)), std::runtime_error) << name;
  }
}

TEST(SourceAlone, works_without_any_broker_and_says_so_once) {
  Gate g(options("127.0.0.1:1", "group", "topic"));
  ASSERT_TRUE(g.run_until([&] { return g.source->status().brokers_down; }));
  g.run_for(1500ms);
  EXPECT_EQ(g.count_notices("kafka_brokers_down"), 1u);
  EXPECT_FALSE(g.source->status().joined);
  EXPECT_NE(g.notice("kafka_brokers_down")->detail.find("127.0.0.1:1"), std::string::npos);
}

}  // namespace
}  // namespace einlass::kafka
