// Dead letters against librdkafka's mock cluster.
#include "adapters/kafka/producing/dead_letters.h"

#include <gtest/gtest.h>

#include <numeric>

#include "adapters/kafka/harness.h"
#include "adapters/kafka/read_all.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

using Topics = std::set<std::string, std::less<>>;

class DeadLettersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster.create_topic("dead", 1); }

  void TearDown() override {
    for (const Notice& notice : notices) {
      if (HasFailure()) std::printf("%s: %s\n", notice.what.c_str(), notice.detail.c_str());
    }
  }

  DeadLetters& open(std::map<std::string, std::string> properties = {}) {
    dead = std::make_unique<DeadLetters>(
        io, DeadLettersOptions{cluster.brokers(), std::move(properties)}, events,
        [this](const Notice& notice) { notices.push_back(notice); });
    return *dead;
  }

  void put(std::uint32_t slot, const std::string& value, const std::string& topic = "dead") {
    dead->put({{slot, slot + 1}, topic, "key", value, {}});
  }

  bool wait_for(std::size_t count, std::chrono::milliseconds patience = 10s) {
    const auto deadline = steady_clock::now() + patience;
    while (events.size() < count && steady_clock::now() < deadline) {
      io.run_one_for(20ms);
      if (io.stopped()) io.restart();
    }
    return events.size() == count;
  }

  // librdkafka refuses by itself until it has asked the brokers again.
  void put_until_acknowledged(std::uint32_t slot, const std::string& topic) {
    const auto deadline = steady_clock::now() + 10s;
    while (!ended(events.size() - 1).acknowledged) {
      ASSERT_LT(steady_clock::now(), deadline);
      const std::size_t count = events.size();
      put(slot, "value", topic);
      ASSERT_TRUE(wait_for(count + 1));
      io.run_for(20ms);
      io.restart();
    }
  }

  core::DeadLetterEnded ended(std::size_t i) {
    return std::get<core::DeadLetterEnded>(events.at(i));
  }

  std::size_t count_notices(const std::string& what) const {
    std::size_t count = 0;
    for (const Notice& one : notices) count += one.what == what;
    return count;
  }

  static inline MockCluster& cluster = *new MockCluster;  // Ends with the process.
  boost::asio::io_context io;
  core::Events events;
  std::vector<Notice> notices;
  std::unique_ptr<DeadLetters> dead;
};

TEST_F(DeadLettersTest, writes_nulls_empties_and_every_byte_and_says_when_it_is_there) {
  open();
  std::string every(256, '\0');
  std::iota(every.begin(), every.end(), '\0');
  const std::vector<Header> headers = {
      {"name", "value"}, {"null", std::nullopt}, {"empty", ""}, {"", "no name"}, {"all", every}};
  dead->put({{0, 0}, "dead", std::nullopt, std::nullopt, {}});
  dead->put({{0xffffffff, 0xfffffffe}, "dead", "", "", {}});
  dead->put({{5, 6}, "dead", every, every, headers});
  ASSERT_TRUE(wait_for(3));
  EXPECT_TRUE(ended(0).acknowledged && ended(1).acknowledged && ended(2).acknowledged);
  EXPECT_EQ(ended(0).record, (core::RecordId{0, 0}));
  EXPECT_EQ(ended(1).record, (core::RecordId{0xffffffff, 0xfffffffe}));
  EXPECT_EQ(ended(2).record, (core::RecordId{5, 6}));
  const auto found = read_all(cluster.brokers(), "dead", 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].value, std::nullopt);
  EXPECT_EQ(found[0].key, std::nullopt);
  EXPECT_EQ(found[1].value, "");
  EXPECT_EQ(found[1].key, "");
  EXPECT_EQ(found[2].value, every);
  EXPECT_EQ(found[2].key, every);
  const Headers expected = {
      {"name", "value"}, {"null", std::nullopt}, {"empty", ""}, {"", "no name"}, {"all", every}};
  EXPECT_EQ(found[2].headers, expected);
}

TEST_F(DeadLettersTest, answers_each_of_many_exactly_once) {
  open();
  for (std::uint32_t slot = 0; slot < 5000; ++slot) put(slot, std::string(200, 'x'));
  ASSERT_TRUE(wait_for(5000));
  std::set<std::uint32_t> slots;
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_TRUE(ended(i).acknowledged);
    slots.insert(ended(i).record.slot);
  }
  EXPECT_EQ(slots.size(), 5000u);
  EXPECT_TRUE(notices.empty()) << notices[0].detail;
}

TEST_F(DeadLettersTest, does_not_acknowledge_what_the_broker_refuses_and_says_so_once) {
  open();
  for (int i = 0; i < 2; ++i) {
    cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
    put(1, "value");
    ASSERT_TRUE(wait_for(static_cast<std::size_t>(i + 1)));
    EXPECT_FALSE(ended(static_cast<std::size_t>(i)).acknowledged);
  }
  EXPECT_EQ(count_notices("kafka_too_large"), 1u);
  put(1, "value");
  ASSERT_TRUE(wait_for(3));
  EXPECT_TRUE(ended(2).acknowledged);
}

TEST_F(DeadLettersTest, names_the_record_that_is_too_large_each_time_and_shows_the_trouble) {
  open();
  std::vector<std::string> told;
  dead->tell_too_large([&](core::RecordId record, std::string_view topic) {
    EXPECT_EQ(events.size(), told.size());  // Before its event: the record is still there.
    told.push_back(std::to_string(record.slot) + " " + std::string(topic));
  });
  for (std::size_t i = 1; i <= 2; ++i) {
    cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
    put(7, "value");
    EXPECT_EQ(dead->status().open, 1u);
    ASSERT_TRUE(wait_for(i));
    EXPECT_EQ(dead->status().open, 0u);
    EXPECT_NE(dead->status().trouble.find("max.message.bytes"), std::string::npos);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"7 dead", "7 dead"}));
  put(8, "value");
  ASSERT_TRUE(wait_for(3));
  EXPECT_EQ(dead->status().trouble, "");
  EXPECT_EQ(told.size(), 2u);
}

TEST_F(DeadLettersTest, writes_again_soon_after_the_right_to_was_granted) {
  open({{"topic.metadata.refresh.interval.ms", "500"}});
  cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  put(1, "value");
  ASSERT_TRUE(wait_for(1));
  EXPECT_FALSE(ended(0).acknowledged);
  EXPECT_EQ(count_notices("kafka_topic_forbidden"), 1u);
  EXPECT_NE(dead->status().trouble.find("WRITE"), std::string::npos);
  EXPECT_EQ(dead->status().unusable, dead->status().trouble);
  put_until_acknowledged(1, "dead");
  EXPECT_EQ(dead->status().unusable, "");
  EXPECT_EQ(dead->status().trouble, "");
  EXPECT_EQ(count_notices("kafka_topic_forbidden"), 1u);
}

// How soon it is noticed that a topic is missing, or there.
const std::map<std::string, std::string> kSoon = {{"topic.metadata.propagation.max.ms", "100"},
                                                  {"topic.metadata.refresh.interval.ms", "200"}};

TEST_F(DeadLettersTest, a_topic_that_is_not_there_is_told_until_it_is) {
  cluster.say_of_topic("later", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  open(kSoon);
  put(1, "value", "later");
  ASSERT_TRUE(wait_for(1));
  EXPECT_FALSE(ended(0).acknowledged);
  EXPECT_EQ(count_notices("kafka_unknown_topic"), 1u);
  const std::string why = dead->status().unusable;
  EXPECT_NE(why.find("the topic later is not there"), std::string::npos) << why;
  EXPECT_NE(why.find("route's dead_letter"), std::string::npos) << why;
  cluster.say_of_topic("later", RD_KAFKA_RESP_ERR_NO_ERROR);
  put_until_acknowledged(1, "later");
  EXPECT_EQ(dead->status().unusable, "");
  EXPECT_EQ(dead->status().trouble, "");
  EXPECT_EQ(count_notices("kafka_unknown_topic"), 1u);
}

TEST_F(DeadLettersTest, what_no_record_waits_for_any_more_is_no_trouble) {
  cluster.say_of_topic("nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  cluster.say_of_topic("elsewhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  open(kSoon);
  put(1, "value", "nowhere");
  put(2, "value", "nowhere");
  put(3, "value", "elsewhere");
  ASSERT_TRUE(wait_for(3));
  EXPECT_EQ(dead->status().unusable_topics, (Topics{"elsewhere", "nowhere"}));
  dead->forget({1, 2});
  dead->forget({3, 4});
  EXPECT_NE(dead->status().unusable.find("the topic nowhere is not there"), std::string::npos);
  EXPECT_EQ(dead->status().unusable_topics, Topics{"nowhere"});
  put(2, "value", "dead");  // After a reload.
  ASSERT_TRUE(wait_for(4));
  EXPECT_TRUE(ended(3).acknowledged);
  EXPECT_EQ(dead->status().unusable, "");
  EXPECT_EQ(dead->status().unusable_topics, Topics{});
  EXPECT_EQ(dead->status().trouble, "");
  dead->forget({2, 3});
  dead->forget({7, 8});
}

TEST_F(DeadLettersTest, a_login_that_may_write_nothing_is_told_while_a_record_waits) {
  cluster.fail(kInitProducerIdApi, {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  open();
  EXPECT_EQ(dead->status().unusable, "") << "nothing was to be written";
  put(1, "value");
  ASSERT_TRUE(wait_for(1));
  EXPECT_FALSE(ended(0).acknowledged);
  const std::string why = dead->status().unusable;
  EXPECT_NE(why.find("may not write to any topic"), std::string::npos) << why;
  EXPECT_EQ(dead->status().unusable_topics, Topics{"dead"}) << "that which is needed";
  put_until_acknowledged(1, "dead");
  EXPECT_EQ(dead->status().unusable, "");
  EXPECT_EQ(dead->status().trouble, "");
}

TEST_F(DeadLettersTest, one_that_is_too_large_is_no_trouble_of_the_topics) {
  open();
  cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  put(1, "value");
  ASSERT_TRUE(wait_for(1));
  EXPECT_NE(dead->status().trouble, "");
  EXPECT_EQ(dead->status().unusable, "");
}

TEST_F(DeadLettersTest, why_others_wait_is_not_that_one_is_too_large) {
  cluster.say_of_topic("missing", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  std::map<std::string, std::string> properties = kSoon;
  properties["message.max.bytes"] = "1000";
  open(properties);
  put(1, std::string(5000, 'x'));
  put(2, "value", "missing");
  ASSERT_TRUE(wait_for(2));
  const DeadLettersStatus status = dead->status();
  EXPECT_EQ(status.unusable_topics, Topics{"missing"});
  const std::string& why = status.unusable;
  EXPECT_NE(why.find("the topic missing is not there"), std::string::npos) << why;
}

TEST_F(DeadLettersTest, takes_a_megabyte_beside_what_is_small) {
  open();
  put(1, std::string(1 << 20, 'x'));
  put(2, "small");
  ASSERT_TRUE(wait_for(2));
  EXPECT_TRUE(ended(0).acknowledged && ended(1).acknowledged);
}

TEST_F(DeadLettersTest, does_not_acknowledge_what_cannot_even_be_queued) {
  open({{"message.max.bytes", "1000"}});
  put(1, std::string(5000, 'x'));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_FALSE(ended(0).acknowledged);
  EXPECT_EQ(count_notices("kafka_too_large"), 1u);
}

TEST_F(DeadLettersTest, a_topic_that_is_away_leaves_room_for_the_others) {
  cluster.create_topic("away", 1);
  rd_kafka_mock_partition_set_leader(cluster.get(), "away", 0, -1);
  open();
  for (std::uint32_t slot = 0; slot < 12'000; ++slot) put(slot, "x", "away");
  const std::size_t refused = events.size();
  EXPECT_GE(refused, 2000u);
  put(20'000, "x", "dead");
  ASSERT_TRUE(wait_for(refused + 1));
  EXPECT_EQ(ended(refused).record.slot, 20'000u);
  EXPECT_TRUE(ended(refused).acknowledged);
}

TEST_F(DeadLettersTest, is_bounded_while_no_broker_answers) {
  open({{"queue.buffering.max.messages", "100"}, {"message.timeout.ms", "1500"}});
  cluster.down();
  for (std::uint32_t slot = 0; slot < 150; ++slot) put(slot, "value");
  EXPECT_EQ(events.size(), 100u) << "half of the queue is left for other topics";
  EXPECT_EQ(count_notices("kafka_write_queue_full"), 1u);
  ASSERT_TRUE(wait_for(150));
  for (std::size_t i = 0; i < 150; ++i) EXPECT_FALSE(ended(i).acknowledged);
  EXPECT_EQ(count_notices("kafka_write_timed_out"), 1u);
  cluster.up();
  put(7, "value");
  ASSERT_TRUE(wait_for(151));
  EXPECT_TRUE(ended(150).acknowledged);
}

TEST_F(DeadLettersTest, keys_take_room_that_librdkafka_does_not_count) {
  open({{"queue.buffering.max.kbytes", "1"}, {"message.timeout.ms", "1500"}});
  cluster.down();
  put(1, std::string(1'021, 'x'));
  EXPECT_EQ(events.size(), 0u);
  put(2, "x");
  ASSERT_EQ(events.size(), 1u) << "the first took more than there was for all topics";
  EXPECT_EQ(ended(0).record.slot, 2u);
  EXPECT_FALSE(ended(0).acknowledged);
  cluster.up();
}

// The mock broker hangs up on a request of more than 100 MB.
TEST_F(DeadLettersTest, a_large_letter_is_written_compressed_and_apart) {
  open();
  const std::string large(110'000'000, 'x');
  put(1, large);
  put(2, large);
  ASSERT_EQ(events.size(), 1u) << "one large one at a time";
  EXPECT_EQ(ended(0).record.slot, 2u);
  EXPECT_FALSE(ended(0).acknowledged);
  put(3, "small");
  ASSERT_TRUE(wait_for(3, 30s));
  for (const std::size_t i : {1u, 2u}) EXPECT_TRUE(ended(i).acknowledged) << i;
  put(2, large);
  ASSERT_TRUE(wait_for(4, 30s));
  EXPECT_TRUE(ended(3).acknowledged);
  EXPECT_EQ(dead->status().trouble, "");
}

TEST_F(DeadLettersTest, a_letter_is_large_by_its_headers_too) {
  open();
  const std::string large(40'000'000, 'x');
  const Header header{"h", std::string_view(large)};
  dead->put({{1, 2}, "dead", "key", "value", {&header, 1}});
  ASSERT_TRUE(wait_for(1, 30s));
  EXPECT_TRUE(ended(0).acknowledged);
}

TEST_F(DeadLettersTest, a_letter_that_is_more_than_the_queue_takes_is_written_apart) {
  open({{"queue.buffering.max.kbytes", "100"}});
  put(1, std::string(200'000, 'x'));
  put(2, "small");
  ASSERT_TRUE(wait_for(2));
  EXPECT_TRUE(ended(0).acknowledged && ended(1).acknowledged);
}

TEST_F(DeadLettersTest, goes_on_with_another_producer_when_one_is_given_up) {
  open();
  put(1, "value");
  ASSERT_TRUE(wait_for(1));
  cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  put(2, "value");
  ASSERT_TRUE(wait_for(2));
  EXPECT_FALSE(ended(1).acknowledged);
  put(3, "value");
  ASSERT_TRUE(wait_for(3));
  EXPECT_TRUE(ended(2).acknowledged);
}

TEST_F(DeadLettersTest, goes_on_however_often_a_producer_is_given_up) {
  open();
  for (std::size_t count = 1; count <= 40; ++count) {
    cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
    put(1, "value");
    ASSERT_TRUE(wait_for(count));
    EXPECT_FALSE(ended(count - 1).acknowledged);
  }
  EXPECT_EQ(count_notices("kafka_fatal"), 0u);
  put(1, "value");
  ASSERT_TRUE(wait_for(41));
  EXPECT_TRUE(ended(40).acknowledged);
}

TEST_F(DeadLettersTest, refuses_a_wrong_property) {
  EXPECT_THROW(open({{"no.such.thing", "1"}}), std::runtime_error);
  EXPECT_THROW(open({{"acks", "1"}}), std::runtime_error);
  EXPECT_THROW(open({{"max.in.flight", "100"}}), std::runtime_error);
}

}  // namespace
}  // namespace einlass::kafka
