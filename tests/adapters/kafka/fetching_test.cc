#include "adapters/kafka/partitions/fetching.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <initializer_list>
#include <vector>

#include "adapters/kafka/source/positions.h"

namespace einlass::kafka {
namespace {

class FetchingTest : public ::testing::Test {
 protected:
  FetchingTest() {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", "127.0.0.1:1", nullptr, 0);
    rd_kafka_conf_set(conf, "group.id", "group", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
    client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
  }
  ~FetchingTest() override {
    assignment.for_each([&](Partition& partition) { assignment.remove(partition); });
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }

  // Reads partition 0 and 1, as if they had just been found.
  std::string read_on(Fetching& fetching) {
    std::vector<Partition*> moved;
    for (const std::int32_t number : {0, 1}) {
      Partition& added = assignment.add("topic", PartitionNumber{number}, core::RouteId{0});
      added.next = 5;
      added.finding = Finding::found;
      moved.push_back(&added);
    }
    return fetching.read_on(moved);
  }

  static ListHandle revoked(std::initializer_list<std::int32_t> numbers) {
    ListHandle list(rd_kafka_topic_partition_list_new(2));
    for (const std::int32_t number : numbers) {
      rd_kafka_topic_partition_list_add(list.get(), "topic", number);
    }
    return list;
  }

  boost::asio::io_context io;
  rd_kafka_t* client = nullptr;
  Wakeups wakeups{io, [](Wakeups::Key) {}};
  Assignment assignment{wakeups};
};

TEST_F(FetchingTest, a_revocation_of_a_part_is_no_loss_even_just_after_partitions_came) {
  Fetching fetching(client, assignment);
  ASSERT_EQ(read_on(fetching), "");
  EXPECT_TRUE(fetching.may_be_lost());
  EXPECT_TRUE(fetching.may_be_lost(revoked({0, 1}).get())) << "it may be a loss that was hidden";
  EXPECT_FALSE(fetching.may_be_lost(revoked({1}).get())) << "partition 0 stays, and must commit";
  fetching.checked();
  EXPECT_FALSE(fetching.may_be_lost(revoked({0, 1}).get()));
}

// With cooperative-sticky librdkafka takes any partition that is taken from it for the answer to a
// revocation of others.
TEST_F(FetchingTest, nothing_moves_while_the_group_waits_for_what_is_given_back) {
  Fetching fetching(client, assignment);
  core::Events events;
  Positions positions(OffsetReset::earliest, assignment, fetching, events, [](const Notice&) {});
  Partition& leaves = assignment.add("topic", PartitionNumber{0}, core::RouteId{0});
  leaves.phase = Phase::revoking;
  leaves.leaving = true;
  Partition& found = assignment.add("topic", PartitionNumber{1}, core::RouteId{0});
  found.next = 5;
  found.finding = Finding::found;
  EXPECT_EQ(positions.tick(), "");
  EXPECT_EQ(found.finding, Finding::found) << "librdkafka was told while the gate still drains";
  EXPECT_TRUE(events.empty());
  assignment.remove(leaves);
  EXPECT_EQ(positions.tick(), "");
  EXPECT_EQ(found.finding, Finding::read);
  EXPECT_EQ(events.size(), 1u);
}

// Its start and its end are two questions.
TEST_F(FetchingTest, a_log_that_was_replaced_while_it_was_asked_about_is_asked_about_again) {
  Fetching fetching(client, assignment);
  core::Events events;
  Positions positions(OffsetReset::latest, assignment, fetching, events, [](const Notice&) {});
  Partition& partition = assignment.add("topic", PartitionNumber{0}, core::RouteId{0});
  positions.seek(partition);
  std::vector<Position> answers = positions.questions();
  ASSERT_EQ(answers.size(), 1u);
  answers[0].log = LogBounds{Offset{1000}, Offset{5}};
  EXPECT_EQ(positions.answered(answers, Instant{}), "");
  EXPECT_EQ(partition.finding, Finding::sought);
  EXPECT_TRUE(positions.skipped().empty()) << "offsets 1000 to 4 are skipped";
  EXPECT_EQ(positions.tick(), "");
  EXPECT_EQ(positions.questions().size(), 1u);
}

}  // namespace
}  // namespace einlass::kafka
