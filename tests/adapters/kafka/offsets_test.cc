// Where reading begins and goes on, on a real broker: what is committed, what Kafka no longer has,
// and logs that are not what they were.
#include <algorithm>

#include "adapters/kafka/real_broker_fixture.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class OffsetsTest : public RealBrokerTest {
 protected:
  // A partition of 100 records, of which 10 are committed, and whose log then begins at 60.
  static void commit_10_and_delete_60(const std::string& topic, int partitions,
                                      const std::string& finished = {}) {
    admin->create_topic(topic, partitions);
    for (int number = 0; number < partitions; ++number) producer->many(topic, number, 100);
    Gate g(options_for(topic, "gate-1"));
    const auto all = static_cast<std::uint64_t>(100 * partitions);
    ASSERT_TRUE(g.run_until([&] { return g.sink.count == all; }));
    std::vector<core::CommitEntry> entries;
    for (int number = 0; number < partitions; ++number) {
      entries.push_back({g.id_of(number), Offset{number == 0 ? 10 : 100}, finished});
    }
    ASSERT_EQ(g.commit(entries), core::CommitResult::committed);
    g.leave();
    admin->delete_before(topic, 0, 60);
  }

  // A topic of 100 records that were read is made anew, with 30. A commit of before reaches Kafka
  // when it is there again, so the group has the old log's offset: 90. The gate has lost it then.
  static void make_anew(Gate& g, const std::string& topic) {
    producer->many(topic, 0, 100);
    ASSERT_TRUE(g.run_until([&] { return g.sink.count == 100; }));
    const core::PartitionId old = g.id_of(0);
    g.source->hold(old);
    admin->delete_topic(topic);
    admin->create_topic(topic, 1);
    producer->many(topic, 0, 30);
    ASSERT_TRUE(g.run_until([&] {
      return g.commit({{old, Offset{90}, {}}}) == core::CommitResult::committed;
    }));
    g.source->read(old);
    ASSERT_TRUE(g.run_until([&] { return g.all<core::PartitionLost>().size() == 1; }));
    g.done_with_all();
  }

  static SkippedOffsets skipped(const Gate& g) {
    const auto all = g.source->status().offsets_skipped;
    return all.empty() ? SkippedOffsets{} : all.begin()->second;
  }

  // Why the partition is stuck; empty if it is not.
  static std::string stuck(const Gate& g, std::int32_t number) {
    for (const auto& one : g.source->status().partitions) {
      if (one.number.value == number) return one.stuck;
    }
    return "";
  }

  static std::optional<std::uint64_t> lag(const Gate& g, std::int32_t number) {
    for (const auto& one : g.source->status().partitions) {
      if (one.number.value == number) return one.lag;
    }
    return std::nullopt;
  }
};

TEST_F(OffsetsTest, the_longest_map_of_what_finished_comes_back) {
  admin->create_topic("map", 1);
  std::vector<core::OffsetRange> ahead;
  for (std::int64_t i = 1; ahead.size() < (core::kMostFinishedText - 3) / 2; i += 2) {
    ahead.push_back({Offset{i}, Offset{i + 1}});
  }
  const std::string text = core::write_finished(Offset{0}, ahead);
  ASSERT_LE(text.size(), core::kMostFinishedText);
  ASSERT_GT(text.size() + 2, core::kMostFinishedText) << "one more is too much";
  {
    Gate g(options_for("map", "gate-1"));
    ASSERT_TRUE(g.run_until_assigned(1));
    EXPECT_TRUE(g.finished[0].empty());
    ASSERT_EQ(g.commit({{g.id_of(0), Offset{0}, text}}), core::CommitResult::committed);
    g.leave();
  }
  Gate g(options_for("map", "gate-1"));
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.finished[0], ahead);
  EXPECT_EQ(g.source->status().partitions[0].committed, Offset{0});
  EXPECT_TRUE(g.notices.empty());
}

TEST_F(OffsetsTest, metadata_that_is_not_ours_is_told_and_nothing_is_taken_for_finished) {
  admin->create_topic("foreign", 1);
  producer->many("foreign", 0, 10);
  {
    Gate g(options_for("foreign", "gate-1"));
    ASSERT_TRUE(g.run_until_assigned(1));
    ASSERT_EQ(g.commit({{g.id_of(0), Offset{4}, "by somebody else"}}),
              core::CommitResult::committed);
    g.leave();
  }
  Gate g(options_for("foreign", "gate-1"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 6; }));
  EXPECT_EQ(g.sink.offsets(0), range(4, 10));
  EXPECT_TRUE(g.finished[0].empty());
  ASSERT_NE(g.notice("kafka_foreign_metadata"), nullptr);
  EXPECT_NE(g.notice("kafka_foreign_metadata")->detail.find("foreign partition 0"),
            std::string::npos);
}

TEST_F(OffsetsTest, the_lag_grows_also_while_nothing_is_read) {
  admin->create_topic("lag", 2);
  producer->many("lag", 0, 30);
  Gate g(options_for("lag", "gate-1"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 30; }));
  ASSERT_TRUE(g.run_until([&] { return lag(g, 0) == 30u; })) << "nothing is committed yet";
  ASSERT_EQ(g.commit({{g.id_of(0), Offset{10}, ""}}), core::CommitResult::committed);
  EXPECT_EQ(lag(g, 0), 20u) << "what is committed is known at once";
  g.source->hold(g.id_of(0));
  producer->many("lag", 0, 7);
  ASSERT_TRUE(g.run_until([&] { return lag(g, 0) == 27u; }));
  EXPECT_EQ(lag(g, 1), 0u);
}

TEST_F(OffsetsTest, latest_begins_at_the_end_and_counts_what_it_passes_over) {
  commit_10_and_delete_60("latest", 1);
  SourceOptions made = options_for("latest", "gate-1");
  made.auto_offset_reset = OffsetReset::latest;
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return skipped(g).retention > 0; }));
  producer->many("latest", 0, 5);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 5; }));
  EXPECT_EQ(g.sink.offsets(0), range(100, 105));
  EXPECT_EQ(skipped(g).retention, 50u);
  EXPECT_EQ(skipped(g).reset, 40u);
  EXPECT_EQ(skipped(g).recreated, 0u);
  EXPECT_EQ(g.count_notices("kafka_offsets_skipped"), 1u);
  ASSERT_EQ(g.all<core::PartitionAssigned>().size(), 1u) << "the gate's records are still good";
  EXPECT_FALSE(g.all<core::PartitionAssigned>()[0].begun);
  ASSERT_EQ(g.all<core::PartitionMoved>().size(), 1u) << "the gate must know to commit it";
  EXPECT_EQ(g.all<core::PartitionMoved>()[0].next, Offset{100});
}

// One record that could not finish is all that retention took; behind it lies what the group had
// received.
TEST_F(OffsetsTest, latest_goes_on_where_the_group_has_been_by_what_had_finished) {
  const core::OffsetRange ahead[] = {{Offset{11}, Offset{80}}};
  commit_10_and_delete_60("been_there", 1, core::write_finished(Offset{10}, ahead));
  SourceOptions made = options_for("been_there", "gate-1");
  made.auto_offset_reset = OffsetReset::latest;
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 40; }));
  EXPECT_EQ(g.sink.offsets(0), range(60, 100)) << "the gate knows which of them have finished";
  EXPECT_EQ(skipped(g).retention, 1u);
  EXPECT_EQ(skipped(g).reset, 0u);
  EXPECT_EQ(g.finished[0], (std::vector<core::OffsetRange>{ahead[0]}));
  ASSERT_EQ(g.all<core::PartitionMoved>().size(), 1u);
  EXPECT_EQ(g.all<core::PartitionMoved>()[0].next, Offset{60});
}

TEST_F(OffsetsTest, with_error_one_partition_waits_the_others_go_on_and_it_is_revived) {
  commit_10_and_delete_60("stuck", 2);
  SourceOptions made = options_for("stuck", "gate-1");
  made.auto_offset_reset = OffsetReset::error;
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return !stuck(g, 0).empty(); }));
  EXPECT_NE(stuck(g, 0).find("stuck partition 0"), std::string::npos) << stuck(g, 0);
  EXPECT_NE(stuck(g, 0).find("offsets 10 to 59"), std::string::npos) << stuck(g, 0);
  EXPECT_EQ(stuck(g, 1), "");
  EXPECT_EQ(g.source->status().trouble, stuck(g, 0));
  EXPECT_EQ(g.count_notices("kafka_partition_stuck"), 1u);
  producer->many("stuck", 1, 500);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 500; }));
  EXPECT_TRUE(g.sink.offsets(0).empty());
  EXPECT_EQ(skipped(g).retention, 0u);

  g.source->set_offset_reset(OffsetReset::earliest);
  producer->many("stuck", 1, 500);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 1040; }));
  EXPECT_EQ(g.sink.offsets(0), range(60, 100));
  EXPECT_EQ(g.sink.offsets(1), range(100, 1100)) << "another partition was disturbed";
  EXPECT_EQ(skipped(g).retention, 50u);
  EXPECT_EQ(stuck(g, 0), "");
  EXPECT_EQ(g.source->status().trouble, "");
}

TEST_F(OffsetsTest, with_error_a_partition_of_which_nothing_is_committed_waits_too) {
  admin->create_topic("fresh", 1);
  producer->many("fresh", 0, 100);
  SourceOptions made = options_for("fresh", "gate-1");
  made.auto_offset_reset = OffsetReset::error;
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return !stuck(g, 0).empty(); }));
  EXPECT_TRUE(g.all<core::PartitionAssigned>().empty());
  g.run_for(1500ms);
  EXPECT_EQ(g.count_notices("kafka_partition_stuck"), 1u);
  g.source->set_offset_reset(OffsetReset::error);
  g.run_for(300ms);
  EXPECT_NE(stuck(g, 0), "");
  g.source->set_offset_reset(OffsetReset::latest);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.all<core::PartitionAssigned>()[0].next, Offset{100});
  EXPECT_TRUE(g.all<core::PartitionAssigned>()[0].begun) << "the group does not have it";
  EXPECT_EQ(skipped(g).reset, 100u);
  producer->many("fresh", 0, 5);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 5; }));
  EXPECT_EQ(g.sink.offsets(0), range(100, 105));
}

TEST_F(OffsetsTest, one_that_is_overtaken_by_retention_again_and_again_disturbs_no_other) {
  admin->create_topic("busy", 3);
  Gate g(options_for("busy", "gate-1"));
  ASSERT_TRUE(g.run_until_assigned(3));
  std::int64_t end = 0;
  for (int round = 0; round < 4; ++round) {
    g.source->hold(g.id_of(0));
    producer->many("busy", 0, 4000, 1000);
    end += 4000;
    g.run_for(50ms);
    admin->delete_before("busy", 0, end - 10);
    g.source->read(g.id_of(0));
    const auto all_there = [&] {
      return !g.sink.offsets(0).empty() && g.sink.offsets(0).back() == end - 1;
    };
    for (int i = 0; i < 200 && !all_there(); ++i) {
      producer->many("busy", 1, 20);
      producer->many("busy", 2, 20);
      g.run_for(20ms);
    }
    ASSERT_TRUE(g.run_until(all_there)) << round;
  }
  producer->many("busy", 1, 1, 10);
  producer->many("busy", 2, 1, 10);
  const auto size_of = [&](std::int32_t number) {
    return static_cast<std::int64_t>(g.sink.offsets(number).size());
  };
  ASSERT_TRUE(g.run_until([&] { return size_of(1) > 1 && size_of(1) == size_of(2); }));
  ASSERT_TRUE(
      g.run_until([&] { return g.sink.taken.back().number != 0 && (size_of(1) - 1) % 20 == 0; }));
  EXPECT_EQ(g.sink.offsets(1), range(0, size_of(1)));
  EXPECT_EQ(g.sink.offsets(2), range(0, size_of(2)));
  EXPECT_TRUE(std::ranges::is_sorted(g.sink.offsets(0)));
  const std::uint64_t missing = static_cast<std::uint64_t>(end - size_of(0));
  EXPECT_GT(missing, 0u);
  EXPECT_EQ(skipped(g).retention, missing) << "not counted exactly";
  EXPECT_EQ(g.all<core::PartitionAssigned>().size(), 3u);
}

TEST_F(OffsetsTest, partitions_that_are_added_are_read_from_their_start) {
  admin->create_topic("more", 1);
  producer->many("more", 0, 100);
  Gate g(options_for("more", "gate-1"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 100; }));
  ASSERT_EQ(g.commit({{g.id_of(0), Offset{100}, {}}}), core::CommitResult::committed);
  admin->add_partitions("more", 3);
  // Before the gate has heard of them, which takes a second.
  producer->many("more", 1, 50);
  producer->many("more", 2, 50);
  ASSERT_TRUE(g.run_until([&] { return !g.all<core::PartitionRevoked>().empty(); }));
  g.done_with_all();
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 200; }));
  EXPECT_EQ(g.sink.offsets(0), range(0, 100));
  EXPECT_EQ(g.sink.offsets(1), range(0, 50));
  EXPECT_EQ(g.sink.offsets(2), range(0, 50));
}

TEST_F(OffsetsTest, a_log_that_began_anew_waits_too_where_the_policy_is_error) {
  admin->create_topic("anew2", 2);
  producer->many("anew2", 0, 100);
  producer->many("anew2", 1, 100);
  SourceOptions made = options_for("anew2");
  // That the topic was away may go unnoticed.
  made.properties["topic.metadata.refresh.interval.ms"] = "60000";
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 200; }));
  g.source->set_offset_reset(OffsetReset::error);
  admin->delete_topic("anew2");
  admin->create_topic("anew2", 2);
  producer->many("anew2", 0, 30);
  ASSERT_TRUE(g.run_until([&] { return g.all<core::PartitionLost>().size() == 2; }, 20s));
  g.done_with_all();
  ASSERT_TRUE(g.run_until([&] { return !stuck(g, 0).empty() && !stuck(g, 1).empty(); }));
  EXPECT_EQ(g.sink.count, 200u);
  EXPECT_NE(g.notice("kafka_log_began_anew"), nullptr);
  EXPECT_EQ(g.source->status().lost, 0u) << "the group has taken nothing away";
  g.source->set_offset_reset(OffsetReset::latest);
  ASSERT_TRUE(g.run_until_assigned(2));
  EXPECT_EQ(skipped(g).reset, 30u);
  producer->many("anew2", 0, 5);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 205; }));
  EXPECT_EQ(g.sink.taken.back().offset, 34);
}

TEST_F(OffsetsTest, a_topic_that_is_gone_fails_no_commit_of_another_and_is_not_tried_again) {
  for (const char* name : {"stays", "goes"}) {
    admin->create_topic(name, 1);
    producer->many(name, 0, 10);
  }
  SourceOptions made = options_for("stays");
  made.topics.push_back({"goes", core::RouteId{8}});
  made.properties["topic.metadata.refresh.interval.ms"] = "60000";
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 20; }));
  std::vector<core::CommitEntry> entries;
  core::PartitionId stays;
  for (const auto& one : g.source->status().partitions) {
    entries.push_back({one.partition, Offset{7}, "e2IBB"});
    if (one.topic == "stays") stays = one.partition;
    g.source->hold(one.partition);
  }
  admin->delete_topic("goes");
  int too_early = 0;  // The broker that keeps the group's offsets hears of it a moment later.
  while (g.commit(entries) == core::CommitResult::committed) ASSERT_LT(++too_early, 1'000);
  EXPECT_EQ(g.all<core::CommitEnded>().back().settled.size(), 1u);
  for (const std::size_t settled : {1u, 1u, 1u, 2u}) {
    ASSERT_EQ(g.commit(entries), core::CommitResult::failed);
    EXPECT_EQ(g.all<core::CommitEnded>().back().settled.size(), settled);
  }
  for (const auto& one : g.source->status().partitions) {
    const bool was_there = one.partition == stays || too_early > 0;
    EXPECT_EQ(one.committed, Offset{was_there ? 7 : -1}) << one.topic;
  }
  ASSERT_EQ(g.commit({{stays, Offset{8}, {}}}), core::CommitResult::committed);
}

TEST_F(OffsetsTest, in_a_log_that_began_anew_the_old_ones_commit_means_nothing) {
  admin->create_topic("anew3", 1);
  SourceOptions made = options_for("anew3");
  made.properties["topic.metadata.refresh.interval.ms"] = "60000";
  Gate g(made);
  ASSERT_NO_FATAL_FAILURE(make_anew(g, "anew3"));
  ASSERT_TRUE(g.run_until_assigned(1));
  producer->many("anew3", 0, 170);
  EXPECT_TRUE(g.all<core::PartitionAssigned>().back().begun);

  const std::vector<core::CommitEntry> entries = {{g.id_of(0), Offset{5}, {}}};
  ASSERT_TRUE(g.source->offsets_for(entries));
  g.source->transaction_ended(entries, TransactionEnd::unknown);
  ASSERT_EQ(g.all<core::PartitionLost>().size(), 2u);
  g.done_with_all();
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.all<core::PartitionAssigned>().back().next, Offset{0});
}

TEST_F(OffsetsTest, of_a_log_that_began_anew_the_group_knows_until_somebody_has_decided) {
  admin->create_topic("anew4", 1);
  SourceOptions made = options_for("anew4", "gate-1");
  made.properties["topic.metadata.refresh.interval.ms"] = "60000";
  Gate g(made);
  ASSERT_TRUE(g.run_until_assigned(1));
  g.source->set_offset_reset(OffsetReset::error);
  ASSERT_NO_FATAL_FAILURE(make_anew(g, "anew4"));
  ASSERT_TRUE(g.run_until([&] { return !stuck(g, 0).empty(); }));
  ASSERT_TRUE(g.run_until([&] { return g.source->status().partitions[0].committed == Offset{0}; }));
  g.leave();
  producer->many("anew4", 0, 170);

  made.auto_offset_reset = OffsetReset::error;
  Gate later(made);
  ASSERT_TRUE(later.run_until([&] { return !stuck(later, 0).empty() || later.sink.count > 0; }));
  EXPECT_EQ(later.sink.count, 0u);
  later.source->set_offset_reset(OffsetReset::earliest);
  ASSERT_TRUE(later.run_until([&] { return later.sink.count == 200; }));
  EXPECT_EQ(later.sink.offsets(0), range(0, 200));
}

TEST_F(OffsetsTest, only_a_partition_whose_offset_is_in_an_open_transaction_waits_for_its_end) {
  admin->create_topic("pending", 3);
  for (std::int32_t number = 0; number < 3; ++number) producer->many("pending", number, 10);
  OpenTransaction killed(broker->brokers(), "pending", 5);
  Gate g(options_for("pending"));
  EXPECT_TRUE(g.run_until([&] { return g.sink.count == 20; }, 20s)) << "the others wait, too";
  EXPECT_EQ(g.sink.offsets(0), range(0, 0));
  killed.commit();
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 25; }));
  EXPECT_EQ(g.sink.offsets(0), range(5, 10));
  g.leave();
}

}  // namespace
}  // namespace einlass::kafka
