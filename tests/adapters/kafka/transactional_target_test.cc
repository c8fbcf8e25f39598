// A transactional target and the source that its records come from, against librdkafka's mock
// cluster. What readers see of its transactions is shown on a real one:
// tests/e2e/exactly_once_test.py.
#include "adapters/kafka/producing/transactional_target.h"

#include <gtest/gtest.h>

#include <vector>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using core::Outcome;

constexpr std::int16_t kEndTxnApi = 26;
constexpr std::int16_t kTxnOffsetCommitApi = 28;

class TransactionalTargetTest : public ::testing::Test {
 protected:
  TransactionalTargetTest() {
    cluster.create_topic("in", 1);
    cluster.create_topic("out", 1);
    gate = std::make_unique<Gate>(source_options());
  }

  SourceOptions source_options() const {
    SourceOptions made = options(cluster.brokers(), "group", "in");
    made.instance = "gate-1";
    return made;
  }

  void start() {
    TargetOptions made;
    made.name = "archive";
    made.topic = "out";
    made.same_partition = true;
    made.brokers = cluster.brokers();
    made.timeout = Duration::seconds(5);
    made.transactional_id = "einlass:group:gate-1:archive";
    made.properties = {{"topic.metadata.propagation.max.ms", "500"}};
    target = std::make_unique<TransactionalTarget>(
        gate->io, made, gate->events,
        [this](const Notice& notice) { gate->notices.push_back(notice); });
    target->start(core::TargetId{3});
    ASSERT_TRUE(gate->run_until_assigned(1));
  }

  // Two records, and the offset behind them. False if nothing comes of it in time.
  bool transact(std::int64_t next, bool with_offsets = true) {
    send_two(next);
    return end_transaction(next, with_offsets);
  }

  void send_two(std::int64_t next) {
    for (const std::uint32_t slot : {0u, 1u}) {
      TargetRecord record;
      record.record = {slot, static_cast<std::uint32_t>(next)};
      record.attempt = core::Attempt{1};
      record.number = slot == 1 ? second_from : PartitionNumber{0};
      record.value = "value";
      target->send(record);
    }
  }

  bool end_transaction(std::int64_t next, bool with_offsets = true) {
    const std::vector<core::CommitEntry> entries = {{gate->id_of(0), Offset{next}, {}}};
    how.reset();
    const std::size_t before = ends().size();
    target->transact(with_offsets ? gate->source->offsets_for(entries) : std::nullopt,
                     [this, entries, with_offsets](TransactionEnd end) {
                       how = end;
                       if (with_offsets) gate->source->transaction_ended(entries, end);
                     });
    return gate->run_until([&] { return ends().size() == before + 2; });
  }

  // Again until the producer is open; the mock's coordinator takes its time.
  void transact_until_committed(std::int64_t next) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(15);
    do {
      gate->turn();
      ASSERT_TRUE(transact(next));
    } while (how != TransactionEnd::committed && steady_clock::now() < deadline);
    EXPECT_EQ(how, TransactionEnd::committed);
  }

  std::vector<core::DeliveryEnded> ends() const { return gate->all<core::DeliveryEnded>(); }

  // One for each test, that ends with the process.
  static MockCluster& new_cluster() {
    static auto& all = *new std::vector<MockCluster*>;
    return *all.emplace_back(new MockCluster);
  }

  MockCluster& cluster = new_cluster();
  std::unique_ptr<Gate> gate;
  std::unique_ptr<TransactionalTarget> target;
  std::optional<TransactionEnd> how;
  PartitionNumber second_from{0};
};

TEST_F(TransactionalTargetTest, commits_records_and_offsets) {
  start();
  transact_until_committed(2);
  EXPECT_EQ(ends().back().outcome, Outcome::accepted);
  EXPECT_FALSE(ends().back().hold_target) << "the next may begin at once";
  EXPECT_EQ(ends().back().record, (core::RecordId{1, 2}));
  EXPECT_EQ(gate->source->status().partitions[0].committed, Offset{2});
  EXPECT_EQ(target->status().trouble, "");
  EXPECT_EQ(target->status().in_flight, 0u);
}

TEST_F(TransactionalTargetTest, comes_to_nothing_without_offsets) {
  start();
  transact_until_committed(2);
  ASSERT_TRUE(transact(4, false));
  EXPECT_EQ(how, TransactionEnd::aborted);
  EXPECT_EQ(ends().back().outcome, Outcome::retry);
  EXPECT_FALSE(ends().back().counts);
  EXPECT_TRUE(ends().back().hold_target);
  transact_until_committed(4);
}

TEST_F(TransactionalTargetTest, a_refused_record_is_told_of_all) {
  start();
  transact_until_committed(2);
  cluster.fail(kProduceApi, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  ASSERT_TRUE(transact(4));
  EXPECT_EQ(how, TransactionEnd::aborted);
  for (std::size_t i = ends().size() - 2; i < ends().size(); ++i) {
    EXPECT_EQ(ends()[i].outcome, Outcome::refused);
    EXPECT_EQ(ends()[i].together, 2u);
    EXPECT_TRUE(ends()[i].too_large);
  }
  EXPECT_EQ(target->status().unusable, "") << "the next may well go";
  transact_until_committed(4);
}

// The gate makes smaller requests of what was refused together, until it is found.
TEST_F(TransactionalTargetTest, a_record_without_a_partition_is_looked_for_and_holds_nobody) {
  start();
  transact_until_committed(2);
  second_from = PartitionNumber{7};
  ASSERT_TRUE(transact(4));
  EXPECT_EQ(how, TransactionEnd::aborted);
  for (std::size_t i = ends().size() - 2; i < ends().size(); ++i) {
    EXPECT_EQ(ends()[i].outcome, Outcome::refused);
    EXPECT_EQ(ends()[i].together, 2u);
    EXPECT_FALSE(ends()[i].counts);
    EXPECT_FALSE(ends()[i].hold_target);
    EXPECT_FALSE(ends()[i].too_large);
  }
  second_from = PartitionNumber{0};
  transact_until_committed(4);
}

TEST_F(TransactionalTargetTest, a_generation_that_is_over_commits_nothing) {
  start();
  transact_until_committed(2);
  cluster.fail(kTxnOffsetCommitApi, {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION});
  ASSERT_TRUE(transact(4));
  EXPECT_EQ(how, TransactionEnd::aborted);
  EXPECT_EQ(ends().back().outcome, Outcome::retry);
  EXPECT_FALSE(ends().back().counts);
  transact_until_committed(4);
}

TEST_F(TransactionalTargetTest, reads_on_from_what_the_group_has_where_nobody_knows) {
  // The log has what is committed below, else it would have begun anew.
  Producer(cluster.brokers()).many("in", 0, 1);
  start();
  transact_until_committed(2);
  // The mock does not keep what transactions commit.
  ASSERT_EQ(gate->commit({{gate->id_of(0), Offset{1}, {}}}), core::CommitResult::committed);
  cluster.fail(kEndTxnApi, {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH});
  ASSERT_TRUE(transact(4));
  ASSERT_EQ(how, TransactionEnd::unknown);
  const auto lost = gate->all<core::PartitionLost>();
  ASSERT_EQ(lost.size(), 1u);
  const auto is_lost = [](const core::Event& event) {
    return std::holds_alternative<core::PartitionLost>(event);
  };
  const auto at = std::find_if(gate->events.begin(), gate->events.end(), is_lost);
  EXPECT_TRUE(std::holds_alternative<core::DeliveryEnded>(*(at + 1))) << "before they end";
  EXPECT_EQ(ends().back().outcome, Outcome::retry);
  gate->source->partition_done(lost[0].partition);
  ASSERT_TRUE(gate->run_until_assigned(1));
  EXPECT_EQ(gate->all<core::PartitionAssigned>().back().next, Offset{1});
  transact_until_committed(4);  // By another producer.
}

TEST_F(TransactionalTargetTest, goes_without_metadata_where_the_brokers_take_too_little) {
  start();
  transact_until_committed(2);
  const std::vector<core::CommitEntry> entries = {{gate->id_of(0), Offset{4}, "e2FBB"}};
  const auto metadata = [&] {
    const auto offsets = gate->source->offsets_for(entries);
    gate->source->transaction_ended(entries, TransactionEnd::aborted);
    return offsets->offsets->elems[0].metadata_size;
  };
  EXPECT_EQ(metadata(), 5u);
  cluster.fail(kTxnOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  ASSERT_TRUE(transact(4));
  EXPECT_NE(how, TransactionEnd::committed);
  EXPECT_NE(gate->notice("kafka_metadata_refused"), nullptr);
  EXPECT_EQ(metadata(), 0u) << "it would be refused for ever";
  transact_until_committed(4);
}

TEST_F(TransactionalTargetTest, what_fails_late_of_the_topic_before_is_no_trouble_of_the_new_one) {
  cluster.say_of_topic("wrong", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  start();
  transact_until_committed(2);
  target->set_topic("wrong", true);
  send_two(4);
  target->set_topic("out", true);
  ASSERT_TRUE(end_transaction(4));
  EXPECT_EQ(how, TransactionEnd::aborted);
  EXPECT_NE(ends().back().reason.find("the topic wrong is not there"), std::string::npos)
      << ends().back().reason;
  EXPECT_EQ(target->status().unusable, "");
  transact_until_committed(4);
}

// As where there are fewer brokers than replicas of the topic that they keep transactions in.
TEST_F(TransactionalTargetTest, brokers_that_name_no_coordinator_are_told_until_they_do) {
  ASSERT_TRUE(gate->run_until_assigned(1));
  cluster.fail(kFindCoordinatorApi, std::vector(500, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE));
  start();
  ASSERT_TRUE(gate->run_until([&] { return !target->status().unusable.empty(); }));
  EXPECT_NE(target->status().unusable.find("__transaction_state"), std::string::npos)
      << target->status().unusable;
  EXPECT_FALSE(target->status().by_attempt) << "it is found out without one";
  rd_kafka_mock_clear_request_errors(cluster.get(), kFindCoordinatorApi);
  EXPECT_TRUE(gate->run_until([&] { return target->status().unusable.empty(); }))
      << "without a record";
  EXPECT_EQ(gate->count_notices("kafka_transactions_wait"), 1u);
  transact_until_committed(2);
}

TEST_F(TransactionalTargetTest, a_right_that_is_missing_is_named) {
  cluster.fail(kInitProducerIdApi, {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  start();
  ASSERT_TRUE(gate->run_until([&] { return !target->status().unusable.empty(); }));
  EXPECT_NE(target->status().unusable.find("transactional id einlass:group:gate-1:archive"),
            std::string::npos)
      << target->status().unusable;
  EXPECT_EQ(gate->all<core::TargetHold>().back().target, core::TargetId{3});
  const auto is_told = [&](const char* what) { return gate->notice(what) != nullptr; };
  ASSERT_TRUE(gate->run_until([&] { return is_told("kafka_write_forbidden"); }));
  EXPECT_FALSE(target->status().by_attempt) << "it is found out without one";
  EXPECT_TRUE(gate->run_until([&] { return target->status().unusable.empty(); }))
      << "without a record";
  transact_until_committed(2);
}

}  // namespace
}  // namespace einlass::kafka
