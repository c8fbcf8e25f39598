// Commits that librdkafka keeps waiting, since it has no broker; or that a broker refuses.
#include "adapters/kafka/source/commits.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

class CommitsTest : public ::testing::Test {
 protected:
  explicit CommitsTest(const std::string& brokers = "127.0.0.1:1") {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "group.id", "group", nullptr, 0);
    rd_kafka_conf_set(conf, "session.timeout.ms", "1000", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_OFFSET_COMMIT);
    client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
    queue.reset(rd_kafka_queue_new(client));
  }
  ~CommitsTest() override {
    queue.reset();
    assignment.for_each([&](Partition& partition) { assignment.remove(partition); });
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }

  Partition& partition(std::int32_t number) {
    Partition& added = assignment.add("topic", PartitionNumber{number}, core::RouteId{0});
    assignment.attach(added, QueueHandle(rd_kafka_queue_get_partition(client, "topic", number)));
    added.phase = Phase::reading;
    return added;
  }

  void begin(core::PartitionId id, std::int64_t next) {
    const std::vector<core::CommitEntry> entries = {{id, Offset{next}, "e2GBB"}};
    commits.begin(client, queue.get(), entries);
  }

  // librdkafka's answer, and what is told of it. Fails after a while.
  rd_kafka_resp_err_t answer() {
    const EventHandle event(rd_kafka_queue_poll(queue.get(), 10'000));
    EXPECT_NE(event, nullptr);
    return commits.ended(client, queue.get(), event.get());
  }

  core::CommitResult result(std::size_t i) const {
    return std::get<core::CommitEnded>(events.at(i)).result;
  }

  boost::asio::io_context io;
  core::Events events;
  rd_kafka_t* client = nullptr;
  QueueHandle queue;
  Wakeups wakeups{io, [](Wakeups::Key) {}};
  Assignment assignment{wakeups};
  Commits commits{assignment, events};
};

TEST_F(CommitsTest, one_that_is_given_up_ends_fenced_and_the_next_waits_for_its_answer) {
  const core::PartitionId id = partition(0).id;
  begin(id, 5);
  commits.give_up();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(result(0), core::CommitResult::fenced);
  EXPECT_FALSE(commits.open());
  commits.begin_generation(nullptr);
  begin(id, 3);
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
  EXPECT_EQ(events.size(), 1u)
      << "the answer to the one that was given up was taken for this one's";
  EXPECT_TRUE(commits.open());
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(result(1), core::CommitResult::failed);
}

TEST_F(CommitsTest, of_lost_partitions_nothing_is_sent) {
  Partition& lost = partition(0);
  lost.phase = Phase::lost;
  begin(lost.id, 5);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(result(0), core::CommitResult::failed);
  begin(core::PartitionId{99}, 5);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(result(1), core::CommitResult::failed);
  EXPECT_EQ(rd_kafka_queue_length(queue.get()), 0u);
}

TEST_F(CommitsTest, after_a_loss_nothing_is_committed_before_the_next_assignment) {
  const core::PartitionId id = partition(0).id;
  commits.give_up();
  begin(id, 5);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(result(0), core::CommitResult::fenced);
  EXPECT_EQ(rd_kafka_queue_poll(queue.get(), 1500), nullptr) << "it was sent all the same";
  commits.begin_generation(nullptr);
  begin(id, 5);
  EXPECT_TRUE(commits.open());
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
}

TEST_F(CommitsTest, one_that_waits_behind_another_is_not_sent_in_a_later_generation) {
  const core::PartitionId id = partition(0).id;
  begin(id, 5);
  commits.give_up();
  commits.begin_generation(nullptr);
  begin(id, 3);
  commits.begin_generation(nullptr);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(result(1), core::CommitResult::failed);
  EXPECT_FALSE(commits.open());
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
  EXPECT_EQ(events.size(), 2u);
  EXPECT_EQ(rd_kafka_queue_poll(queue.get(), 1500), nullptr) << "it was sent all the same";
}

TEST_F(CommitsTest, a_transaction_gets_the_offsets_of_this_generation_or_none) {
  Partition& one = partition(0);
  const core::PartitionId id = one.id;
  const auto offsets = [&](core::PartitionId of) {
    const std::vector<core::CommitEntry> entries = {{id, Offset{5}, "e2GBB"}, {of, Offset{7}, {}}};
    return commits.offsets_for(client, entries);
  };
  const auto member = [] {
    return GroupMemberHandle(rd_kafka_consumer_group_metadata_new("group"));
  };
  const core::PartitionId other = partition(1).id;
  EXPECT_FALSE(offsets(other)) << "of no generation";
  commits.begin_generation(member());
  const auto found = offsets(other);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->offsets->cnt, 2);
  EXPECT_EQ(found->offsets->elems[0].offset, 5);
  EXPECT_EQ(found->offsets->elems[0].metadata_size, 5u);
  EXPECT_EQ(found->offsets->elems[1].partition, 1);
  EXPECT_TRUE(commits.names_partitions()) << "their ids must not mean others yet";
  EXPECT_FALSE(one.uncommitted) << "what is aborted was not wanted by anybody";
  commits.transaction_ended({}, TransactionEnd::aborted);
  EXPECT_FALSE(commits.names_partitions());
  EXPECT_FALSE(offsets(core::PartitionId{99}));
  one.phase = Phase::lost;
  EXPECT_FALSE(offsets(other));
  one.phase = Phase::reading;
  commits.give_up();
  EXPECT_FALSE(offsets(other)) << "the group has gone on";
  commits.begin_generation(member());
  EXPECT_TRUE(offsets(other));
  begin(id, 5);
  EXPECT_FALSE(offsets(other)) << "the commit on its way may come after it";
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
  EXPECT_TRUE(offsets(other));
}

TEST_F(CommitsTest, a_transaction_minds_only_a_commit_on_its_way_that_names_its_partitions) {
  const core::PartitionId id = partition(0).id;
  const core::PartitionId other = partition(1).id;
  const auto member = [] {
    return GroupMemberHandle(rd_kafka_consumer_group_metadata_new("group"));
  };
  const auto offsets = [&](core::PartitionId of) {
    const std::vector<core::CommitEntry> entries = {{of, Offset{7}, {}}};
    return commits.offsets_for(client, entries);
  };
  commits.begin_generation(member());
  begin(id, 5);
  EXPECT_TRUE(offsets(other)) << "another route's commit is no matter of it";
  EXPECT_FALSE(offsets(id));
  commits.give_up();
  assignment.remove(assignment.at(id));
  commits.begin_generation(member());
  const core::PartitionId anew = partition(0).id;
  ASSERT_NE(anew, id);
  EXPECT_FALSE(offsets(anew)) << "what was given up may come after it, whatever id it had then";
  EXPECT_TRUE(offsets(other));
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR__WAIT_COORD);
  EXPECT_TRUE(offsets(anew));
}

// A base, so that it is there before the client.
struct ACluster {
  testing::MockCluster cluster;
};

class RefusedCommitsTest : private ACluster, public CommitsTest {
 protected:
  RefusedCommitsTest() : CommitsTest(cluster.brokers()) {}

  // As where its topic was made anew: it waits until somebody has decided.
  static void begin_anew(Partition& stuck) {
    stuck.phase = Phase::waiting;
    stuck.finding = Finding::stuck;
    stuck.anew = true;
    stuck.log = LogBounds{Offset{0}, Offset{9}};
  }

  using ACluster::cluster;
};

TEST_F(RefusedCommitsTest, after_a_fenced_answer_what_waits_behind_it_is_not_sent) {
  begin_anew(partition(0));
  const core::PartitionId id = partition(1).id;
  cluster.fail(testing::kOffsetCommitApi, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  commits.begin_generation(nullptr);
  commits.tell_began_anew(client, queue.get());
  begin(id, 5);
  EXPECT_EQ(events.size(), 0u);
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(result(0), core::CommitResult::fenced);
  EXPECT_FALSE(commits.open());
  EXPECT_EQ(rd_kafka_queue_poll(queue.get(), 1500), nullptr) << "it was sent all the same";
}

TEST_F(RefusedCommitsTest, that_a_log_began_anew_is_said_though_longer_metadata_was_refused) {
  cluster.create_topic("topic", 2);
  begin_anew(partition(0));
  const core::PartitionId id = partition(1).id;
  cluster.fail(testing::kOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  commits.begin_generation(nullptr);
  begin(id, 5);
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE);
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR_NO_ERROR) << "without metadata";
  commits.tell_began_anew(client, queue.get());
  EXPECT_EQ(answer(), RD_KAFKA_RESP_ERR_NO_ERROR);
  const ListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), "topic", 0);
  ASSERT_EQ(rd_kafka_committed(client, list.get(), 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto& told = list->elems[0];
  EXPECT_EQ(std::string_view(static_cast<const char*>(told.metadata), told.metadata_size),
            kBeganAnew);
}

}  // namespace
}  // namespace einlass::kafka
