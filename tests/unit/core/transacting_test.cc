// Records that are delivered, and offsets that are committed, together.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench_gate.h"

namespace einlass::core {
namespace {

constexpr Duration kLinger = Duration::millis(5);

// A gate whose target takes up to four records and their offsets in a transaction. Every record has
// a lane of its own.
struct Transacting : ::testing::Test {
  BenchGate bench = BenchGate(options());

  static GateOptions options() {
    RouteOptions route;
    route.order = Order::none;
    route.dead_letter = true;
    route.retry_initial = route.retry_max = Duration{1};
    GateOptions all = BenchGate::options_for(route, 1);
    all.targets[0].batch = {4, Bytes{10'000}, kLinger};
    all.targets[0].transactional = true;
    return all;
  }
  void SetUp() override {
    bench.assign(0);
    bench.assign(1);
  }

  void ended(std::vector<std::uint32_t> records, Outcome outcome, std::uint32_t attempt = 1) {
    for (const std::uint32_t record : records) {
      bench.put(DeliveryEnded{RecordId{record, 0}, Attempt{attempt}, outcome, std::nullopt, true,
                              static_cast<std::uint32_t>(records.size())});
    }
  }
  void dead_letter_ended(std::uint32_t record) {
    bench.put(DeadLetterEnded{RecordId{record, 0}, true});
  }
  // Alone with its request; then it is on its way to the dead letter topic.
  void refused(std::uint32_t record, std::int64_t offset, std::uint32_t partition) {
    bench.arrive(record, offset, partition);
    bench.pass(kLinger);
    ended({record}, Outcome::refused);
    ASSERT_EQ(bench.all<DeadLetter>().back().record.slot, record);
    bench.commands.clear();
  }
  // A request with these, which begins a transaction.
  void begin(std::vector<std::uint32_t> records, std::uint32_t partition = 0) {
    for (const std::uint32_t record : records) bench.arrive(record, record, partition);
    bench.pass(kLinger);
    ASSERT_EQ(bench.all<Transact>().size(), 1u);
  }

  static std::string text(std::span<const CommitEntry> entries) {
    std::string text;
    for (const CommitEntry& entry : entries) {
      text += " " + std::to_string(entry.partition.value) + "@" + std::to_string(entry.next.value);
      const std::vector<OffsetRange> ahead = *read_finished(entry.next, entry.finished);
      for (const OffsetRange& range : ahead) {
        text += "+" + std::to_string(range.first.value) + "-" + std::to_string(range.end.value - 1);
      }
    }
    return text;
  }
  // What each said since the last call: for every partition the offset, and what is finished above.
  // REQUIRES: the last of them is open.
  template <class Kind>
  std::vector<std::string> said() {
    std::vector<std::string> found;
    for (const Kind& command : bench.all<Kind>()) found.push_back(text(command.entries));
    bench.commands.clear();
    return found;
  }
  std::vector<std::string> transactions() { return said<Transact>(); }
  std::vector<std::string> commits() { return said<Commit>(); }
  std::size_t done() { return bench.all<PartitionDone>().size(); }
};

using Said = std::vector<std::string>;

// Its new assignment must not be committed before the old one's transaction, which comes later.
TEST_F(Transacting, where_a_partition_begins_waits_for_the_end_of_what_may_be_its_own_transaction) {
  begin({0, 1});
  bench.put(PartitionLost{PartitionId{0}});
  bench.commands.clear();
  bench.put(PartitionAssigned{PartitionId{2}, RouteId{0}, Offset{0}, {}, true});
  bench.pass(Duration::seconds(1));
  EXPECT_TRUE(bench.all<Commit>().empty());
  ended({0, 1}, Outcome::accepted);
  bench.pass(Duration::millis(100));
  EXPECT_EQ(commits(), (std::vector<std::string>{" 2@0"}));
}

// A transaction may stand still for minutes, and whoever has the partition next would begin at the
// log's end.
TEST_F(Transacting, where_a_partition_begins_is_committed_beside_one_that_has_no_part_of_it) {
  begin({0, 1});
  bench.commands.clear();
  bench.put(PartitionAssigned{PartitionId{2}, RouteId{0}, Offset{7}, {}, true});
  bench.pass(Duration::millis(1));
  EXPECT_EQ(commits(), (std::vector<std::string>{" 2@7"}));
  ended({0, 1}, Outcome::accepted);
  bench.arrive(5, 7, 2);
  bench.pass(kLinger);
  EXPECT_TRUE(bench.all<Transact>().empty()) << "the commit must not be overtaken";
  bench.put(CommitEnded{CommitResult::committed});
  bench.pass(kLinger);
  EXPECT_EQ(transactions(), (std::vector<std::string>{" 2@8"}));
}

TEST_F(Transacting, a_request_goes_with_the_offsets_that_count_it_as_finished) {
  begin({0, 1, 2, 3});
  ASSERT_TRUE(std::holds_alternative<Transact>(bench.commands.back())) << "behind its records";
  EXPECT_EQ(transactions(), Said{" 0@4"});
  ended({0, 1, 2, 3}, Outcome::accepted);
  bench.pass(Duration::seconds(5));
  EXPECT_EQ(commits(), Said{}) << "that is all";
}

TEST_F(Transacting, each_partition_is_named_once) {
  bench.arrive(0, 10, 0);
  bench.arrive(1, 20, 1);
  bench.arrive(2, 11, 0);
  bench.arrive(3, 21, 1);
  EXPECT_EQ(transactions(), Said{" 0@12 1@22"});
}

TEST_F(Transacting, what_is_not_finished_before_it_stays_so) {
  refused(0, 0, 0);
  begin({1, 2});
  EXPECT_EQ(transactions(), Said{" 0@0+1-2"});
}

TEST_F(Transacting, the_next_begins_when_every_attempt_has_ended) {
  begin({0, 1});
  bench.commands.clear();
  for (std::uint32_t i = 2; i < 6; ++i) bench.arrive(i, i);
  ended({0}, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(transactions(), Said{}) << "the one that leads has ended, but not its company";
  ended({1}, Outcome::accepted);
  EXPECT_EQ(transactions(), Said{" 0@6"});
}

TEST_F(Transacting, a_failed_one_has_committed_nothing) {
  begin({0, 1});
  ended({0, 1}, Outcome::retry);
  bench.commands.clear();
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(bench.all<Commit>().size(), 0u) << "there is nothing new";
  EXPECT_EQ(transactions(), Said{" 0@2"}) << "the next try";
}

TEST_F(Transacting, a_dead_letter_goes_along) {
  refused(0, 0, 0);
  begin({1});
  EXPECT_EQ(transactions(), Said{" 0@0+1-1"});
  for (std::uint32_t i = 2; i < 6; ++i) bench.arrive(i, i, 1);
  dead_letter_ended(0);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{}) << "the transaction's entries must not be taken back";
  ended({1}, Outcome::accepted);
  EXPECT_EQ(transactions(), Said{" 1@6 0@2"});
  ended({2, 3, 4, 5}, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{});
}

TEST_F(Transacting, a_dead_letter_is_committed_by_itself_where_no_transaction_is) {
  refused(0, 0, 0);
  begin({1}, 1);
  dead_letter_ended(0);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{});
  ended({1}, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{" 0@1"});
}

TEST_F(Transacting, a_dead_letter_whose_transaction_fails_is_committed_by_itself) {
  refused(0, 0, 0);
  dead_letter_ended(0);
  for (std::uint32_t i = 1; i < 5; ++i) bench.arrive(i, i, 1);
  EXPECT_EQ(transactions(), Said{" 1@5 0@1"});
  ended({1, 2, 3, 4}, Outcome::retry);
  bench.pass(Duration{});
  EXPECT_EQ(commits(), Said{" 0@1"}) << "and not the other partition";
  ended({1, 2, 3, 4}, Outcome::retry);
  bench.put(CommitEnded{CommitResult::committed});
  bench.pass(kLinger);
  EXPECT_EQ(transactions(), Said{" 1@5"}) << "it has failed once, however often that is told";
}

TEST_F(Transacting, no_transaction_begins_while_a_commit_of_its_partitions_is_under_way) {
  refused(0, 0, 0);
  dead_letter_ended(0);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{" 0@1"});
  for (std::uint32_t i = 1; i < 5; ++i) bench.arrive(i, i, 1);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(transactions(), Said{});
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(transactions(), Said{" 1@5"});
}

// Found by seed 176 of the simulation.
TEST_F(Transacting, what_was_finished_before_and_comes_meanwhile_is_committed_afterwards) {
  const std::vector<OffsetRange> before = {{Offset{5}, Offset{6}}};
  bench.put(PartitionAssigned{PartitionId{2}, RouteId{0}, Offset{0}, before});
  begin({0}, 2);
  EXPECT_EQ(transactions(), Said{" 2@1+5-5"});
  bench.arrive(1, 5, 2);
  ended({0}, Outcome::accepted);
  bench.pass(Duration{});
  EXPECT_EQ(commits(), Said{" 2@6"});
}

TEST_F(Transacting, a_partition_leaves_when_the_transaction_has_ended) {
  bench.arrive(0, 0, 0);
  bench.arrive(1, 0, 1);
  bench.pass(kLinger);
  EXPECT_EQ(transactions(), Said{" 0@1 1@1"});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(10)});
  ended({0}, Outcome::accepted);
  EXPECT_EQ(done(), 0u) << "its own record has ended, but not the transaction";
  ended({1}, Outcome::accepted);
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(commits(), Said{});
}

TEST_F(Transacting, what_failed_is_given_back_and_there_is_nothing_to_commit) {
  begin({0, 1});
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(10)});
  ended({0, 1}, Outcome::retry);
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 2u);
}

TEST_F(Transacting, a_record_that_was_given_up_is_finished_if_its_transaction_commits) {
  refused(0, 0, 0);
  begin({1});
  dead_letter_ended(0);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  bench.pass(Duration::seconds(2));
  EXPECT_EQ(bench.gate.stats(RouteId{0}).returned, 1u);
  EXPECT_EQ(commits(), Said{});
  ended({1}, Outcome::accepted);
  bench.pass(Duration{});
  EXPECT_EQ(commits(), Said{" 0@2"}) << "with the dead letter";
  EXPECT_EQ(done(), 0u);
  bench.put(CommitEnded{CommitResult::committed});
  EXPECT_EQ(done(), 1u);
}

TEST_F(Transacting, one_that_was_given_up_is_not_finished_if_it_fails) {
  refused(0, 0, 0);
  begin({1});
  dead_letter_ended(0);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  bench.pass(Duration::seconds(2));
  bench.commands.clear();
  ended({1}, Outcome::retry);
  bench.pass(Duration{});
  EXPECT_EQ(commits(), Said{" 0@1"});
}

TEST_F(Transacting, the_group_does_not_wait_for_ever) {
  begin({0});
  bench.commands.clear();
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  for (std::uint32_t i = 1; i < 5; ++i) bench.arrive(i, i, 1);
  bench.pass(Duration::seconds(10));
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(transactions(), Said{}) << "the first is under way still";
  ended({0}, Outcome::accepted);
  EXPECT_EQ(transactions(), Said{" 1@5"});
}

// As where nobody knows whether it was committed: Kafka says where to go on.
TEST_F(Transacting, a_lost_partition_comes_back_as_if_it_were_another) {
  begin({0, 1});
  bench.put(PartitionLost{PartitionId{0}});
  EXPECT_EQ(done(), 1u);
  bench.assign(0, 2);
  bench.commands.clear();
  for (std::uint32_t i = 2; i < 6; ++i) bench.arrive(i, i);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(transactions(), Said{});
  ended({0, 1}, Outcome::accepted);
  EXPECT_EQ(transactions(), Said{" 0@6"});
  ended({2, 3, 4, 5}, Outcome::accepted);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{});
}

TEST_F(Transacting, nothing_else_of_a_fenced_partition_goes_along) {
  refused(0, 0, 0);
  refused(1, 1, 0);
  dead_letter_ended(0);
  bench.pass(Duration::seconds(1));
  EXPECT_EQ(commits(), Said{" 0@1"});
  dead_letter_ended(1);
  bench.assign(2);
  bench.put(CommitEnded{CommitResult::fenced});
  for (std::uint32_t i = 2; i < 6; ++i) bench.arrive(i, i, 2);
  EXPECT_EQ(transactions(), Said{" 2@6"});
}

TEST_F(Transacting, an_end_that_is_told_again_ends_nothing) {
  begin({0, 1});
  ended({0, 1}, Outcome::retry);
  bench.commands.clear();
  ended({0, 1}, Outcome::accepted);
  EXPECT_TRUE(bench.commands.empty());
  bench.arrive(2, 2);
  bench.pass(kLinger);
  EXPECT_EQ(transactions(), Said{" 0@3"});
  ended({0, 1}, Outcome::accepted);
  bench.put(PartitionRevoked{PartitionId{0}, bench.now + Duration::seconds(1)});
  EXPECT_EQ(done(), 0u) << "the second is under way";
}

// Others go on as ever.
TEST(TransactingTargets, a_transaction_holds_up_only_the_routes_of_its_target) {
  GateOptions options = Transacting::options();
  options.routes.push_back(options.routes[0]);
  options.routes[1].target = TargetId{1};
  options.targets.push_back(TargetOptions{});
  BenchGate bench(options);
  bench.gate.add_line(LineId{1}, RouteId{1}, true);
  bench.assign(0);
  bench.put(PartitionAssigned{PartitionId{1}, RouteId{1}, Offset{0}});
  bench.arrive(0, 0, 1, 1);
  bench.ended(0, Outcome::accepted);
  for (std::uint32_t i = 1; i < 5; ++i) bench.arrive(i, i, 0);
  ASSERT_EQ(bench.all<Transact>().size(), 1u);
  EXPECT_EQ(Transacting::text(bench.all<Transact>()[0].entries), " 0@5") << "nor does it take them";
  bench.pass(Duration::seconds(1));
  ASSERT_EQ(bench.all<Commit>().size(), 1u);
  EXPECT_EQ(Transacting::text(bench.all<Commit>()[0].entries), " 1@1");
  bench.commands.clear();
  for (std::uint32_t i = 1; i < 5; ++i) {
    bench.put(DeliveryEnded{RecordId{i, 0}, Attempt{1}, Outcome::accepted, std::nullopt, true, 4});
  }
  bench.arrive(5, 5, 0);
  bench.pass(kLinger);
  EXPECT_EQ(bench.all<Transact>().size(), 1u) << "nor is it held up by their commit";
}

}  // namespace
}  // namespace einlass::core
