// What the mock cluster cannot show: static membership, real rebalances, logs that lose their
// beginning, topics that come and go, logins, and a broker that is killed. One broker for all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "adapters/kafka/check/members.h"
#include "adapters/kafka/check/reach.h"
#include "adapters/kafka/client/login.h"
#include "adapters/kafka/real_broker_fixture.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

// Run as a program of its own by the test below: reads and commits until it is killed.
TEST(DISABLED_Child, reads_until_killed) {
  const char* brokers = std::getenv("EINLASS_TEST_BROKERS");
  if (brokers == nullptr) GTEST_SKIP() << "only makes sense as another test's child";
  SourceOptions made = options(brokers, "static", "static");
  made.instance = "gate-1";
  made.properties["session.timeout.ms"] = "30000";
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 100; }));
  const std::vector<core::OffsetRange> ahead = {{Offset{45}, Offset{50}},
                                                {Offset{99}, Offset{100}}};
  const std::string finished = core::write_finished(Offset{40}, ahead);
  ASSERT_EQ(g.commit({{g.id_of(0), Offset{40}, finished}}), core::CommitResult::committed);
  std::printf("ready\n");
  std::fflush(stdout);
  g.run_for(60s);
}

TEST_F(RealBrokerTest, a_killed_static_member_is_back_at_once_where_it_had_committed) {
  admin->create_topic("static", 1);
  producer->many("static", 0, 100);
  ::setenv("EINLASS_TEST_BROKERS", broker->brokers().c_str(), 1);
  Child child({"/proc/self/exe", "--gtest_also_run_disabled_tests",
               "--gtest_filter=DISABLED_Child.reads_until_killed"});
  for (std::string line; line != "ready";) {
    line = child.line();
    ASSERT_NE(line, "") << "the child has ended";
  }
  child.kill(SIGKILL);

  const auto before = steady_clock::now();
  Gate g(options_for("static", "gate-1"));
  ASSERT_TRUE(g.run_until([&] { return !g.all<core::PartitionAssigned>().empty(); }));
  EXPECT_EQ(g.all<core::PartitionAssigned>()[0].next, Offset{40});
  const std::vector<core::OffsetRange> ahead = {{Offset{45}, Offset{50}},
                                                {Offset{99}, Offset{100}}};
  EXPECT_EQ(g.finished[0], ahead) << "what had finished is forgotten";
  ASSERT_TRUE(g.run_until([&] { return g.sink.count > 0; }));
  const auto took = steady_clock::now() - before;
  std::printf("[   COST   ] first record %lld ms after the restart\n",
              static_cast<long long>(took / 1ms));
  EXPECT_LT(took, 1s);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 60; }));
  EXPECT_EQ(g.sink.offsets(0), range(40, 100));
  g.leave();
}

// Kafka takes no notice of what a static member subscribes to that comes back in time.
TEST_F(RealBrokerTest, a_static_member_that_comes_back_with_one_topic_more_reads_it) {
  admin->create_topic("more1", 1);
  admin->create_topic("more2", 1);
  producer->many("more2", 0, 10);
  SourceOptions made = options_for("more1", "gate-1");
  Gate before(made);
  ASSERT_TRUE(before.run_until_assigned(1));
  before.leave();
  made.topics.push_back({"more2", core::RouteId{7}});
  Gate after(made);
  const auto reads_it = [&] {
    for (const auto& one : after.source->status().partitions) {
      if (one.revoking) after.source->partition_done(one.partition);
    }
    return after.sink.count == 10;
  };
  EXPECT_TRUE(after.run_until(reads_it)) << "nobody has it";
  EXPECT_EQ(after.count_notices("kafka_topics_of_nobody"), 1u);
  EXPECT_EQ(after.source->status().partitions.size(), 2u);
  after.leave();
}

TEST_F(RealBrokerTest, a_revoked_partition_is_quiet_commits_to_the_end_and_goes_on_elsewhere) {
  admin->create_topic("revoke", 2);
  Gate a(options_for("revoke"));
  ASSERT_TRUE(a.run_until_assigned(2));
  producer->many("revoke", 0, 100);
  producer->many("revoke", 1, 100);
  ASSERT_TRUE(a.run_until([&] { return a.sink.count == 200; }));
  const core::PartitionId zero = a.id_of(0), one = a.id_of(1);

  Gate b(options_for("revoke"));
  const Instant earliest = now();
  ASSERT_TRUE(a.run_until([&] { return a.all<core::PartitionRevoked>().size() == 2; }));
  const auto deadline = a.all<core::PartitionRevoked>()[0].deadline;
  EXPECT_GE(deadline, earliest + Duration::seconds(3));
  EXPECT_LE(deadline, now() + Duration::seconds(3));
  producer->many("revoke", 0, 50);
  producer->many("revoke", 1, 50);
  EXPECT_EQ(a.commit({{zero, Offset{100}, {}}, {one, Offset{70}, {}}}),
            core::CommitResult::committed);
  a.run_for(300ms);
  EXPECT_EQ(a.sink.count, 200u) << "a revoked partition still gave records";
  EXPECT_EQ(a.source->status().partitions.size(), 2u);
  EXPECT_TRUE(a.source->status().partitions[0].revoking);
  EXPECT_TRUE(b.source->status().partitions.empty());
  const std::vector<core::OffsetRange> ahead = {{Offset{90}, Offset{95}}};
  const std::string finished = core::write_finished(Offset{80}, ahead);
  EXPECT_EQ(a.commit({{zero, Offset{100}, {}}, {one, Offset{80}, finished}}),
            core::CommitResult::committed);
  a.source->partition_done(zero);
  a.run_for(50ms);
  EXPECT_EQ(a.source->status().partitions.size(), 2u) << "unassigned before both were done";
  a.source->partition_done(one);
  EXPECT_TRUE(a.source->status().partitions.empty());

  const auto deadline_for_both = steady_clock::now() + 10s;
  while (a.sink.count + b.sink.count < 200 + 50 + 70 && steady_clock::now() < deadline_for_both) {
    a.turn(1ms);
    b.turn(1ms);
  }
  ASSERT_EQ(a.source->status().partitions.size(), 1u);
  ASSERT_EQ(b.source->status().partitions.size(), 1u);
  const std::int32_t number = b.source->status().partitions[0].number.value;
  EXPECT_EQ(b.sink.offsets(number), range(number == 0 ? 100 : 80, 150));
  const auto& of_one = number == 1 ? b.finished[0] : a.finished.back();
  EXPECT_EQ(of_one, ahead) << "what had finished is forgotten with the rebalance";
  b.leave();
  ASSERT_TRUE(a.run_until([&] { return a.all<core::PartitionRevoked>().size() == 3; }));
  a.leave();
}

TEST_F(RealBrokerTest, two_with_one_instance_name_are_told_so) {
  admin->create_topic("twice", 1);
  Gate a(options_for("twice", "gate-1"));
  ASSERT_TRUE(a.run_until_assigned(1));
  Gate b(options_for("twice", "gate-1"));
  ASSERT_TRUE(b.run_until_assigned(1));
  ASSERT_TRUE(a.run_until([&] { return a.notice("kafka_fatal") != nullptr; }));
  EXPECT_EQ(a.notice("kafka_fatal")->severity, Severity::error);
  EXPECT_NE(a.notice("kafka_fatal")->detail.find("gate-1"), std::string::npos);
  EXPECT_FALSE(a.source->status().joined);
  EXPECT_NE(a.source->status().trouble, "");
  a.source->close(Duration::seconds(1));
  b.leave();
}

TEST_F(RealBrokerTest, counts_the_offsets_that_retention_took) {
  admin->create_topic("skip", 1);
  producer->many("skip", 0, 100);
  Gate first(options_for("skip", "gate-1"));
  ASSERT_TRUE(first.run_until([&] { return first.sink.count == 100; }));
  ASSERT_EQ(first.commit({{first.id_of(0), Offset{10}, {}}}), core::CommitResult::committed);
  first.leave();
  admin->delete_before("skip", 0, 60);
  Gate second(options_for("skip", "gate-1"));
  ASSERT_TRUE(second.run_until([&] { return second.sink.count == 40; }));
  EXPECT_EQ(second.sink.offsets(0), range(60, 100));
  EXPECT_EQ(second.source->status().offsets_skipped["skip"].retention, 50u);
  EXPECT_NE(second.notice("kafka_offsets_skipped")->detail.find("10 to 59"), std::string::npos);

  // And while it runs, held: nothing is counted for what had been read ahead.
  second.source->hold(second.id_of(0));
  producer->many("skip", 0, 5000, 1000);
  second.run_for(200ms);
  admin->delete_before("skip", 0, 5050);
  second.source->read(second.id_of(0));
  ASSERT_TRUE(second.run_until([&] { return second.sink.taken.back().offset == 5099; }));
  const auto read = second.sink.offsets(0);
  std::uint64_t missing = 0;
  for (std::size_t i = 1; i < read.size(); ++i) {
    missing += static_cast<std::uint64_t>(read[i] - read[i - 1] - 1);
  }
  EXPECT_EQ(second.source->status().offsets_skipped["skip"].retention, 50u + missing);
  EXPECT_GT(missing, 0u);
  second.leave();
}

TEST_F(RealBrokerTest, a_topic_made_anew_at_once_is_read_from_its_start) {
  admin->create_topic("anew", 1);
  producer->many("anew", 0, 100);
  Gate g(options_for("anew"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 100; }));
  const core::PartitionId before = g.id_of(0);
  admin->delete_topic("anew");
  admin->create_topic("anew", 1);
  producer->many("anew", 0, 30);
  const auto gone = [&] {
    return !g.all<core::PartitionLost>().empty() || !g.all<core::PartitionRevoked>().empty();
  };
  ASSERT_TRUE(g.run_until(gone, 20s));
  g.run_for(100ms);
  EXPECT_EQ(g.sink.count, 100u) << "records of the new log came as the old assignment's";
  g.source->partition_done(before);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count >= 130; }, 20s));
  EXPECT_EQ(g.sink.taken[100].offset, 0);
  EXPECT_EQ(g.all<core::PartitionAssigned>().size(), 2u);
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{30}, {}}}), core::CommitResult::committed);
}

TEST_F(RealBrokerTest, a_deleted_topic_is_given_back_and_read_again_when_it_is_back) {
  admin->create_topic("gone", 1);
  producer->many("gone", 0, 10);
  Gate g(options_for("gone"));
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 10; }));
  admin->delete_topic("gone");
  ASSERT_TRUE(g.run_until([&] { return !g.all<core::PartitionRevoked>().empty(); }));
  g.commit({{g.source->status().partitions[0].partition, Offset{10}, {}}});
  EXPECT_NE(g.notice("kafka_unknown_topic"), nullptr);
  g.done_with_all();
  g.run_for(300ms);
  EXPECT_TRUE(g.source->status().missing_topics.contains("gone"));
  admin->create_topic("gone", 1);
  producer->many("gone", 0, 20);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 30; }));
  EXPECT_EQ(g.sink.taken[10].offset, 0);
  EXPECT_EQ(g.source->status().trouble, "");
  const auto before = steady_clock::now();
  g.leave();
  EXPECT_LT(steady_clock::now() - before, 2s) << "leaving hangs after a topic was deleted";
}

// Whoever deletes it means it, and no other topic is asked about by which this would be forgotten.
TEST_F(RealBrokerTest,
       the_last_topic_that_a_pattern_fits_is_missed_by_nobody_once_it_is_given_back) {
  SourceOptions made = options_for("fleeting");
  made.topics = {{"^fleeting\\..*", core::RouteId{7}}};
  made.properties["topic.metadata.refresh.interval.ms"] = "6000";  // Later than it is asked about.
  Gate g(made);
  g.run_for(1500ms);
  admin->create_topic("fleeting.one", 1);
  ASSERT_TRUE(g.run_until_assigned(1));
  admin->delete_topic("fleeting.one");
  ASSERT_TRUE(g.run_until([&] { return !g.source->status().missing_topics.empty(); }));
  ASSERT_TRUE(g.run_until([&] { return !g.all<core::PartitionRevoked>().empty(); }));
  g.done_with_all();
  EXPECT_TRUE(g.run_until([&] { return g.source->status().missing_topics.empty(); }));
}

TEST_F(RealBrokerTest, more_topics_than_are_asked_about_at_once_are_all_known) {
  admin->create_topic("beside-many", 1);
  SourceOptions made = options_for("beside-many");
  for (int i = 0; i < 150; ++i) made.dead_letters.push_back("none-" + std::to_string(i));
  Gate g(made);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_TRUE(g.run_until([&] { return g.source->status().missing_topics.size() == 150; }));
  EXPECT_TRUE(g.run_until([&] { return g.source->status().retention.contains("beside-many"); }));
}

TEST_F(RealBrokerTest, other_dead_letter_topics_are_looked_for_in_place_of_those_before) {
  admin->create_topic("beside-others", 1);
  SourceOptions made = options_for("beside-others");
  made.dead_letters = {"none-before"};
  Gate g(made);
  const auto missing = [&] { return g.source->status().missing_topics; };
  ASSERT_TRUE(g.run_until([&] { return missing() == std::set<std::string>{"none-before"}; }));
  g.source->set_dead_letters({"none-after"});
  EXPECT_TRUE(g.run_until([&] { return missing() == std::set<std::string>{"none-after"}; }));
}

TEST_F(RealBrokerTest, a_topic_that_is_not_there_is_named_and_read_once_it_is) {
  Gate g(options_for("later"));
  ASSERT_TRUE(g.run_until([&] { return g.notice("kafka_unknown_topic") != nullptr; }));
  EXPECT_NE(g.notice("kafka_unknown_topic")->detail.find("later"), std::string::npos);
  EXPECT_NE(g.source->status().trouble, "");
  admin->create_topic("later", 1);
  ASSERT_TRUE(g.run_until_assigned(1));
  EXPECT_EQ(g.source->status().trouble, "");
}

TEST_F(RealBrokerTest, a_wrong_login_is_told_without_the_password) {
  admin->create_topic("login", 1);
  producer->many("login", 0, 5);
  SourceOptions made = with_wrong_password("login");
  Gate wrong(made);
  ASSERT_TRUE(wrong.run_until([&] { return wrong.notice("kafka_login_refused") != nullptr; }));
  wrong.run_for(1500ms);
  EXPECT_EQ(wrong.count_notices("kafka_login_refused"), 1u);
  EXPECT_NE(wrong.source->status().trouble.find("login"), std::string::npos);
  for (const Notice& notice : wrong.notices) {
    EXPECT_EQ(notice.detail.find("wrong-password"), std::string::npos) << notice.detail;
  }
  made.properties["sasl.password"] = "right-password";
  Gate right(made);
  EXPECT_TRUE(right.run_until([&] { return right.sink.count == 5; }));
}

TEST_F(RealBrokerTest, a_password_that_is_renewed_is_what_clients_log_in_with) {
  admin->create_topic("renewed", 1);
  producer->many("renewed", 0, 5);
  SourceOptions made = with_wrong_password("renewed");
  made.login = std::make_shared<Login>(Login::By::password);
  Gate first(made);
  ASSERT_TRUE(first.run_until([&] { return first.notice("kafka_login_refused") != nullptr; }));
  EXPECT_EQ(made.login->renew(Password{"gate", "right-password"}), "");
  EXPECT_TRUE(first.run_until([&] { return first.sink.count == 5; }));
  EXPECT_EQ(first.source->status().trouble, "");
  // One that is made later has it from the start.
  made.group += "-later";
  Gate later(made);
  EXPECT_TRUE(later.run_until([&] { return later.sink.count == 5; }));
  EXPECT_EQ(later.count_notices("kafka_login_refused"), 0u);
}

TEST_F(RealBrokerTest, dead_letters_arrive) {
  admin->create_topic("dead", 2);
  boost::asio::io_context io;
  core::Events events;
  DeadLetters dead(io, {broker->brokers(), {}}, events, [](const Notice&) {});
  for (std::uint32_t slot = 0; slot < 100; ++slot)
    dead.put({{slot, 1}, "dead", "key", "value", {}});
  const auto deadline = steady_clock::now() + 10s;
  while (events.size() < 100 && steady_clock::now() < deadline) {
    io.run_one_for(20ms);
    if (io.stopped()) io.restart();
  }
  ASSERT_EQ(events.size(), 100u);
  for (const auto& event : events) {
    EXPECT_TRUE(std::get<core::DeadLetterEnded>(event).acknowledged);
  }
}

// Stops the broker, so it comes last.
TEST_F(RealBrokerTest, z_a_broker_that_is_killed_and_comes_back_costs_nothing) {
  admin->create_topic("outage", 1);
  producer->many("outage", 0, 100);
  SourceOptions made = options_for("outage", "gate-1");
  made.properties["session.timeout.ms"] = "120000";  // However long it takes to start again.
  Gate g(made);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 100; }));
  broker->kill();
  ASSERT_TRUE(g.run_until([&] { return g.source->status().brokers_down; }));
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{100}, {}}}), core::CommitResult::failed);
  broker->start();
  ASSERT_TRUE(g.run_until([&] { return !g.source->status().brokers_down; }, 60s));
  EXPECT_EQ(g.commit({{g.id_of(0), Offset{100}, {}}}), core::CommitResult::committed);
  producer->many("outage", 0, 100);
  ASSERT_TRUE(g.run_until([&] { return g.sink.count == 200; }));
  EXPECT_EQ(g.sink.offsets(0), range(0, 200));
  EXPECT_EQ(g.all<core::PartitionAssigned>().size(), 1u) << "the assignment was lost";
  EXPECT_EQ(g.count_notices("kafka_brokers_down"), 1u);
}

// A gate that has yet to read what is paused takes no partition from the others meanwhile.
TEST_F(RealBrokerTest, is_no_member_of_the_group_before_it_is_told_to_join) {
  admin->create_topic("joined", 2);
  const SourceOptions made = options_for("joined");
  Gate early(made, false), other(made);
  ASSERT_TRUE(other.run_until_assigned(2));
  const auto members = members_of(made, Duration::seconds(5));
  ASSERT_TRUE(std::holds_alternative<std::vector<Member>>(members));
  EXPECT_EQ(std::get<std::vector<Member>>(members).size(), 1u);
  EXPECT_FALSE(early.source->status().joined);
  early.source->join();
  std::set<std::uint32_t> done;
  const auto shared = [&] {
    other.turn();
    for (const auto& one : other.all<core::PartitionRevoked>()) {
      if (done.insert(one.partition.value).second) other.source->partition_done(one.partition);
    }
    return early.source->status().partitions.size() == 1;
  };
  EXPECT_TRUE(early.run_until(shared));
}

TEST_F(RealBrokerTest, an_open_transaction_is_no_coordinator_that_is_missing) {
  admin->create_topic("open", 1);
  OpenTransaction killed(broker->brokers(), "open", 5);
  const std::vector<std::string> trouble = reach(options_for("open"), Duration::seconds(5)).trouble;
  EXPECT_TRUE(trouble.empty()) << trouble[0];
  killed.commit();
}

}  // namespace
}  // namespace einlass::kafka
