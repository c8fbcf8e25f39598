// A Kafka target against librdkafka's mock cluster.
#include "adapters/kafka/producing/target.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "adapters/kafka/producing/target_errors.h"
#include "adapters/kafka/read_all.h"
#include "adapters/kafka/target_harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using core::Outcome;

class TargetTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const char* topic : {"nulls", "many", "topic", "again", "batch", "fatal"}) {
      cluster.create_topic(topic, 1);
    }
    cluster.create_topic("four", 4);
  }

  static TargetOptions options(const std::string& topic) {
    return TargetBench::options(cluster.brokers(), topic);
  }

  static inline MockCluster& cluster = *new MockCluster;  // Ends with the process.
};

TEST_F(TargetTest, writes_a_record_as_it_was) {
  TargetBench bench(options("nulls"));
  std::string every(256, '\0');
  std::iota(every.begin(), every.end(), '\0');
  const std::vector<Header> headers = {
      {"name", "value"}, {"null", std::nullopt}, {"empty", ""}, {"name", "again"}, {"all", every}};
  const core::Attempt third{3};
  bench.send({{0, 0}, {1}, {0}, -1, std::nullopt, std::nullopt, {}});
  bench.send({{9, 0xfffffffe}, {1}, {0}, 1'234'567'890'123, "", "", {}});
  bench.send({{5, 6}, third, {0}, 0, every, every, headers});
  ASSERT_TRUE(bench.wait_for(3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bench.outcome(i), Outcome::accepted);
  EXPECT_EQ(bench.ended(1).record, (core::RecordId{9, 0xfffffffe}));
  EXPECT_EQ(bench.ended(2).attempt, third);
  const auto found = read_all(cluster.brokers(), "nulls", 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].value, std::nullopt);
  EXPECT_EQ(found[0].key, std::nullopt);
  EXPECT_TRUE(found[0].headers.empty());
  EXPECT_EQ(found[1].value, "");
  EXPECT_EQ(found[1].key, "");
  EXPECT_EQ(found[1].timestamp_ms, 1'234'567'890'123);
  EXPECT_EQ(found[2].value, every);
  EXPECT_EQ(found[2].key, every);
  EXPECT_EQ(found[2].timestamp_ms, 1) << "the first moment of 1970, not the present";
  const Headers expected = {
      {"name", "value"}, {"null", std::nullopt}, {"empty", ""}, {"name", "again"}, {"all", every}};
  EXPECT_EQ(found[2].headers, expected) << "and none of ours";
}

// What org.apache.kafka.common.utils.Utils.murmur2 gives, made positive, of four partitions.
TEST_F(TargetTest, a_key_goes_where_java_would_put_it) {
  TargetBench bench(options("four"));
  const std::vector<std::pair<std::string, std::uint32_t>> hashes = {
      {"21", static_cast<std::uint32_t>(-973932308)},
      {"foobar", static_cast<std::uint32_t>(-790332482)},
      {"a-little-bit-long-string", static_cast<std::uint32_t>(-985981536)},
      {"a-little-bit-longer-string", static_cast<std::uint32_t>(-1486304829)},
      {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", static_cast<std::uint32_t>(-58897971)},
      {"abc", 479470107}};
  for (std::uint32_t i = 0; i < hashes.size(); ++i) bench.send(i, "x", hashes[i].first);
  ASSERT_TRUE(bench.wait_for(hashes.size()));
  std::map<std::string, std::int32_t> found;
  std::map<std::int32_t, std::size_t> counts;
  for (const auto& [key, hash] : hashes)
    ++counts[static_cast<std::int32_t>((hash & 0x7fffffff) % 4)];
  for (const auto& [number, count] : counts) {
    for (const Taken& one : read_all(cluster.brokers(), "four", count, number)) {
      found[one.key.value_or("")] = one.number;
    }
  }
  for (const auto& [key, hash] : hashes) {
    EXPECT_EQ(found[key], static_cast<std::int32_t>((hash & 0x7fffffff) % 4)) << key;
  }
}

TEST_F(TargetTest, a_record_stays_in_its_partition_where_that_is_asked_for) {
  TargetOptions made = options("four");
  made.same_partition = true;
  TargetBench bench(made);
  for (std::int32_t number = 0; number < 4; ++number) {
    bench.send({{static_cast<std::uint32_t>(number), 0}, {1}, {number}, -1, "21", "same", {}});
  }
  ASSERT_TRUE(bench.wait_for(4));
  EXPECT_EQ(bench.accepted(), 4u);
  bench.send({{7, 0}, {1}, {4}, -1, "21", "nowhere", {}});
  ASSERT_TRUE(bench.wait_for(5));
  EXPECT_EQ(bench.outcome(4), Outcome::retry);
  EXPECT_FALSE(bench.ended(4).counts);
  EXPECT_FALSE(bench.ended(4).hold_target) << "the others have their places";
  EXPECT_NE(bench.target->status().unusable.find("fewer partitions"), std::string::npos);
}

TEST_F(TargetTest, answers_each_of_many_exactly_once) {
  TargetBench bench(options("many"));
  for (std::uint32_t slot = 0; slot < 5000; ++slot) bench.send(slot, std::string(200, 'x'));
  EXPECT_EQ(bench.target->status().in_flight, 5000u);
  ASSERT_TRUE(bench.wait_for(5000));
  std::set<std::uint32_t> slots;
  for (std::size_t i = 0; i < 5000; ++i) slots.insert(bench.ended(i).record.slot);
  EXPECT_EQ(bench.accepted(), 5000u);
  EXPECT_EQ(slots.size(), 5000u);
  EXPECT_EQ(bench.target->status().in_flight, 0u);
  EXPECT_TRUE(bench.notices.empty()) << bench.notices[0].detail;
}

TEST_F(TargetTest, what_passes_by_itself_is_tried_again_inside) {
  TargetBench bench(options("again"));
  cluster.fail(kProduceApi,
               {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND});
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(bench.outcome(0), Outcome::accepted);
}

TEST_F(TargetTest, an_attempt_that_nobody_answers_in_time_has_failed_and_counts) {
  TargetOptions made = options("topic");
  made.timeout = Duration::millis(1500);
  TargetBench bench(made);
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(1));
  cluster.down();
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(2));
  EXPECT_EQ(bench.outcome(1), Outcome::retry);
  EXPECT_TRUE(bench.ended(1).counts);
  EXPECT_FALSE(bench.ended(1).hold_target);
  EXPECT_EQ(bench.failures().size(), 1u);
  EXPECT_TRUE(bench.run_until([&] { return !bench.target->status().unusable.empty(); }));
  cluster.up();
  EXPECT_TRUE(bench.run_until([&] { return bench.target->status().unusable.empty(); }))
      << "noticed without a record";
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(3));
  EXPECT_EQ(bench.outcome(2), Outcome::accepted);
  EXPECT_EQ(bench.target->status().trouble, "");
}

TEST_F(TargetTest, a_topic_that_is_not_there_holds_the_target_and_is_not_made) {
  TargetOptions made = options("absent");
  made.properties = {{"topic.metadata.refresh.interval.ms", "500"},
                     {"topic.metadata.propagation.max.ms", "500"}};
  rd_kafka_mock_topic_set_error(cluster.get(), "absent", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  TargetBench bench(made);
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(bench.outcome(0), Outcome::retry);
  EXPECT_FALSE(bench.ended(0).counts);
  ASSERT_TRUE(bench.ended(0).hold_target);
  EXPECT_NE(bench.target->status().unusable.find("the topic absent is not there"),
            std::string::npos);
  EXPECT_EQ(bench.count_notices("kafka_unknown_topic"), 1u);
  EXPECT_NE(bench.notices[0].detail.find("targets.archive.kafka.topic"), std::string::npos);
  rd_kafka_mock_topic_set_error(cluster.get(), "absent", RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto deadline = steady_clock::now() + 10s;
  for (std::size_t count = 2; bench.outcome(count - 2) != Outcome::accepted; ++count) {
    ASSERT_LT(steady_clock::now(), deadline);
    bench.send(1, "value");
    ASSERT_TRUE(bench.wait_for(count));
    bench.io.run_for(20ms);
    bench.io.restart();
  }
  EXPECT_EQ(bench.target->status().unusable, "");
  EXPECT_EQ(bench.count_notices("kafka_unknown_topic"), 1u);
}

// A right that is missing is told before the first record; then only a record can tell that it is
// there.
TEST_F(TargetTest, a_login_that_may_write_nothing_is_told_by_attempt_since_there_was_one) {
  static MockCluster& own = *new MockCluster;  // Ends with the process.
  own.create_topic("topic", 1);
  own.fail(kInitProducerIdApi, std::vector(2, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED));
  TargetBench bench(TargetBench::options(own.brokers(), "topic"));
  const auto why = [&] { return bench.target->status().unusable; };
  ASSERT_TRUE(bench.run_until([&] { return !why().empty(); }));
  EXPECT_NE(why().find("may not write to any topic"), std::string::npos) << why();
  EXPECT_FALSE(bench.target->status().by_attempt);
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(bench.outcome(0), Outcome::retry);
  EXPECT_NE(why().find("may not write to any topic"), std::string::npos) << why();
  EXPECT_TRUE(bench.target->status().by_attempt);
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(2));
  EXPECT_EQ(bench.outcome(1), Outcome::accepted);
  EXPECT_EQ(why(), "");
}

TEST_F(TargetTest, a_record_refused_alone_is_refused) {
  TargetBench bench(options("topic"));
  cluster.fail(kProduceApi,
               {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  bench.send(3, "value");
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(bench.outcome(0), Outcome::refused);
  ASSERT_EQ(bench.failures().size(), 1u);
  EXPECT_NE(bench.failures()[0].find("max.message.bytes"), std::string::npos);
  EXPECT_EQ(bench.target->status().unusable, "");
}

// The brokers refuse a whole batch for one of its records.
TEST_F(TargetTest, nobody_is_refused_for_what_he_travels_with) {
  TargetOptions made = options("batch");
  made.properties = {{"linger.ms", "100"}};
  TargetBench bench(made);
  cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_INVALID_RECORD});
  const std::vector<Header> headers = {{"name", "value"}};
  for (std::uint32_t slot = 0; slot < 20; ++slot) {
    bench.send({{slot, 1}, {2}, {0}, 1'700'000'000'000, std::nullopt, "value", headers});
  }
  ASSERT_TRUE(bench.wait_for(20));
  EXPECT_EQ(bench.accepted(), 20u);
  EXPECT_EQ(bench.ended(19).attempt, core::Attempt{2});
  const auto found = read_all(cluster.brokers(), "batch", 20);
  ASSERT_EQ(found.size(), 20u);
  EXPECT_EQ(found[19].timestamp_ms, 1'700'000'000'000);
  EXPECT_EQ(found[19].key, std::nullopt);
  EXPECT_EQ(found[19].headers.size(), 1u);
}

// What is to be written alone waits for a slow broker, until there is room for no more of it.
TEST_F(TargetTest, nobody_is_refused_for_not_being_written_alone) {
  constexpr std::uint32_t kRoom = 20;
  const std::string value(2000, 'x');
  static MockCluster& slow = *new MockCluster;  // Ends with the process.
  slow.create_topic("topic", 1);
  TargetOptions made = TargetBench::options(slow.brokers(), "topic");
  made.properties = {{"linger.ms", "100"}, {"queue.buffering.max.kbytes", "40"}};
  TargetBench bench(made);
  bench.send(0, value);
  ASSERT_TRUE(bench.wait_for(1));
  rd_kafka_mock_broker_set_rtt(slow.get(), 1, 1000);
  slow.fail(kProduceApi, {RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_INVALID_RECORD});
  for (std::uint32_t slot = 0; slot < kRoom; ++slot) bench.send(slot, value);
  const auto has_room = [&] {
    const std::size_t before = bench.events.size();
    bench.send(kRoom, value);
    return bench.events.size() == before;
  };
  ASSERT_TRUE(bench.run_until(has_room)) << "the first are not written alone";
  for (std::uint32_t slot = kRoom + 1; slot < 2 * kRoom; ++slot) bench.send(slot, value);
  // Of the second batch.
  std::size_t begun = bench.events.size(), accepted = 0, again = 0;
  const auto all_ended = [&] {
    for (; begun < bench.events.size(); ++begun) {
      if (bench.ended(begun).record.slot < kRoom) continue;
      EXPECT_NE(bench.outcome(begun), Outcome::refused);
      EXPECT_NE(bench.outcome(begun) == Outcome::retry, bench.ended(begun).counts);
      ++(bench.outcome(begun) == Outcome::accepted ? accepted : again);
    }
    return accepted + again == kRoom;
  };
  ASSERT_TRUE(bench.run_until(all_ended));
  EXPECT_GT(again, 0u);
}

TEST_F(TargetTest, too_large_for_the_process_is_refused_at_once) {
  TargetOptions made = options("topic");
  made.properties = {{"message.max.bytes", "1000"}};
  TargetBench bench(made);
  bench.send(1, std::string(5000, 'x'));
  ASSERT_EQ(bench.events.size(), 1u);
  EXPECT_EQ(bench.outcome(0), Outcome::refused);
  EXPECT_TRUE(bench.ended(0).too_large);
}

TEST_F(TargetTest, goes_on_with_another_producer_when_one_is_given_up) {
  TargetBench bench(options("fatal"));
  for (std::size_t count = 1; count < 40; count += 2) {
    cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
    bench.send(2, "value");
    ASSERT_TRUE(bench.wait_for(count));
    EXPECT_EQ(bench.outcome(count - 1), Outcome::retry);
    bench.send(3, "value");
    ASSERT_TRUE(bench.wait_for(count + 1));
    EXPECT_EQ(bench.outcome(count), Outcome::accepted);
  }
  EXPECT_EQ(bench.count_notices("kafka_fatal"), 0u);
}

TEST_F(TargetTest, another_topic_holds_from_the_next_attempt_on) {
  cluster.create_topic("second", 1);
  TargetBench bench(options("topic"));
  bench.target->set_topic("second", false);
  bench.send(1, "moved");
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(read_all(cluster.brokers(), "second", 1).at(0).value, "moved");
}

// A reload of something else is no reason to take it for one that works.
TEST_F(TargetTest, the_same_topic_again_is_still_not_there) {
  cluster.say_of_topic("nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  TargetOptions made = options("nowhere");
  made.properties = {{"topic.metadata.propagation.max.ms", "100"}};
  TargetBench bench(made);
  bench.send(1, "value");
  ASSERT_TRUE(bench.wait_for(1));
  const std::string why = bench.target->status().unusable;
  EXPECT_NE(why, "");
  bench.target->set_topic("nowhere", false);
  EXPECT_EQ(bench.target->status().unusable, why);
}

TEST_F(TargetTest, what_fails_late_of_the_topic_before_is_no_trouble_of_the_new_one) {
  cluster.create_topic("after", 1);
  rd_kafka_mock_topic_set_error(cluster.get(), "wrong", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  TargetBench bench(options("wrong"));
  bench.send(1, "under way");
  bench.target->set_topic("after", false);
  ASSERT_TRUE(bench.wait_for(1));
  EXPECT_EQ(bench.outcome(0), Outcome::retry);
  EXPECT_NE(bench.ended(0).reason.find("the topic wrong is not there"), std::string::npos);
  bench.send(1, "again");
  ASSERT_TRUE(bench.wait_for(2));
  EXPECT_EQ(bench.outcome(1), Outcome::accepted);
  EXPECT_EQ(bench.target->status().unusable, "");
}

TEST_F(TargetTest, refuses_a_wrong_property_and_names_it) {
  const auto refused = [&](const std::string& name, const std::string& value) {
    TargetOptions made = options("topic");
    made.properties = {{name, value}};
    try {
      TargetBench bench(made);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused("no.such.thing", "1").find("targets.archive.kafka.properties.no.such.thing"),
            std::string::npos);
  EXPECT_NE(refused("acks", "1").find("targets.archive.kafka.properties.acks"), std::string::npos);
  EXPECT_NE(refused("max.in.flight", "100").find("targets.archive.kafka.properties"),
            std::string::npos);
  EXPECT_EQ(refused("fetch.wait.max.ms", "10"), "accepted") << "a consumer's is left out";
}

TEST(TargetErrors, each_error_has_its_verdict) {
  EXPECT_EQ(verdict(RD_KAFKA_RESP_ERR_NO_ERROR), Verdict::accepted);
  for (const auto code : {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                          RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, RD_KAFKA_RESP_ERR__TRANSPORT}) {
    EXPECT_EQ(verdict(code), Verdict::again) << rd_kafka_err2name(code);
  }
  for (const auto code :
       {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__PURGE_QUEUE,
        RD_KAFKA_RESP_ERR__FATAL}) {
    EXPECT_EQ(verdict(code), Verdict::held) << rd_kafka_err2name(code);
  }
  for (const auto code : {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR__QUEUE_FULL}) {
    EXPECT_EQ(verdict(code), Verdict::alone) << rd_kafka_err2name(code);
  }
  for (const auto code : {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD,
                          RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP}) {
    EXPECT_EQ(verdict(code), Verdict::refused) << rd_kafka_err2name(code);
  }
}

}  // namespace
}  // namespace einlass::kafka
