// Questions about partitions of which some lie with a broker that is away.
#include "adapters/kafka/partitions/lookup.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <set>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/harness.h"

namespace einlass::kafka::lookup_test {
namespace {

using namespace testing;

constexpr std::int32_t kAway = 4;  // More than one question has the time to wait for.
constexpr std::int32_t kPartitions = 8;

class LookupTest : public ::testing::Test {
 protected:
  // The first partitions have no leader, or one that is down.
  LookupTest() {
    cluster.create_topic("topic", kPartitions);
    rd_kafka_mock_coordinator_set(cluster.get(), "group", "group", 1);
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      lead(number, number >= kAway ? 1 : number % 2 == 0 ? 2 : -1);
    }
    rd_kafka_mock_broker_set_down(cluster.get(), 2);
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", cluster.brokers().c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "group.id", "group", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
    client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
    // As a source does: librdkafka looks for the leaders of partitions that it knows.
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      QueueHandle(rd_kafka_queue_get_partition(client, "topic", number));
    }
    lookup.emplace(io, client, [this](const std::vector<Position>& some) {
      answers.insert(answers.end(), some.begin(), some.end());
    });
  }
  ~LookupTest() override {
    run_until([&] { return !lookup->open(); });
    rd_kafka_destroy(client);
  }

  void lead(std::int32_t number, std::int32_t leader) {
    rd_kafka_mock_partition_set_leader(cluster.get(), "topic", number, leader);
  }

  static Position position(std::int32_t number, bool ask_group) {
    Position made;
    made.topic = "topic";
    made.number = PartitionNumber{number};
    made.ask_group = ask_group;
    return made;
  }

  void begin_to_ask() {
    answers.clear();
    std::vector<Position> question;
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      question.push_back(position(number, false));
    }
    lookup->ask(std::move(question));
  }

  // Asks about all logs; true once all are answered.
  bool ask() {
    begin_to_ask();
    return run_until([&] { return !lookup->open(); });
  }

  bool run_until(const std::function<bool()>& done) {
    const auto deadline = steady_clock::now() + kPatience;
    while (!done()) {
      if (steady_clock::now() > deadline) return false;
      io.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  std::set<std::int32_t> known() const {
    std::set<std::int32_t> found;
    for (const Position& one : answers) {
      if (!one.error) found.insert(one.number.value);
    }
    return found;
  }

  MockCluster cluster{2};
  rd_kafka_t* client = nullptr;
  boost::asio::io_context io;
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      io.get_executor()};  // Else it would not wait.
  std::vector<Position> answers;
  std::optional<Lookup> lookup;
};

TEST_F(LookupTest, those_that_were_not_tried_come_first_the_next_time) {
  ASSERT_TRUE(ask());
  EXPECT_EQ(answers.size(), std::size_t{kPartitions});
  const std::set<std::int32_t> sound = {4, 5, 6, 7};
  EXPECT_TRUE(run_until([&] { return ask() && known() == sound; }));
  rd_kafka_mock_broker_set_up(cluster.get(), 2);
  for (std::int32_t number = 0; number < kAway; ++number) lead(number, 2);
  EXPECT_TRUE(run_until([&] { return ask() && known().size() == kPartitions; }));
}

// However many there are, one question finds it out.
TEST_F(LookupTest, a_partition_that_has_no_leader_costs_the_others_nothing) {
  for (std::int32_t number = 0; number < kPartitions - 2; ++number) lead(number, -1);
  const std::set<std::int32_t> sound = {kPartitions - 2, kPartitions - 1};
  const auto all_asked = [&] { return std::ranges::none_of(answers, &Position::left); };
  EXPECT_TRUE(run_until([&] { return ask() && known() == sound && all_asked(); }));
}

TEST_F(LookupTest, the_others_do_not_wait_for_logs_whose_leader_was_away_the_last_time) {
  const std::set<std::int32_t> sound = {4, 5, 6, 7};
  ASSERT_TRUE(run_until([&] { return ask() && known() == sound; }));
  begin_to_ask();
  ASSERT_TRUE(run_until([&] { return !answers.empty(); }));
  EXPECT_EQ(known(), sound);
  EXPECT_TRUE(lookup->open());
}

TEST_F(LookupTest, what_the_group_knows_does_not_wait_for_logs_whose_leader_is_away) {
  const ListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), "topic", 5)->offset = 3;
  ASSERT_EQ(rd_kafka_commit(client, list.get(), 0), RD_KAFKA_RESP_ERR_NO_ERROR);
  lookup->ask({position(0, true), position(5, true)});
  ASSERT_TRUE(run_until([&] { return !answers.empty(); }));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].committed, Offset{3});
  EXPECT_TRUE(lookup->open());
  ASSERT_TRUE(run_until([&] { return !lookup->open(); }));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_TRUE(answers[1].error);
}

}  // namespace
}  // namespace einlass::kafka::lookup_test
