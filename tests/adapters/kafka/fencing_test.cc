// A member that the group has gone on without must not take the new owner back: the broker does not
// check who owns a partition that is committed.
#include <cstdlib>
#include <string>
#include <utility>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/real_broker_fixture.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class FencingTest : public RealBrokerTest {
 protected:
  // What the group has committed of partition 0, asked from outside.
  static std::int64_t committed(rd_kafka_t* client, const std::string& topic) {
    const ListHandle list(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0);
    const auto error = rd_kafka_committed(client, list.get(), 5000);
    if (error) throw std::runtime_error(rd_kafka_err2str(error));
    return list->elems[0].offset;
  }

  static rd_kafka_t* outsider(const std::string& group) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", broker->brokers().c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "group.id", group.c_str(), nullptr, 0);
    return rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
  }
};

const char* name_of(core::CommitResult result) {
  switch (result) {
    case core::CommitResult::committed:
      return "committed";
    case core::CommitResult::failed:
      return "failed";
    case core::CommitResult::fenced:
      return "fenced";
  }
  return "";
}

// Run as a program of its own by the test below: commits offset 20 of its first assignment over and
// over, also when that is somebody else's, and says how each commit ends.
TEST(DISABLED_Child, commits_the_same_for_ever) {
  const char* brokers = std::getenv("EINLASS_TEST_BROKERS");
  if (brokers == nullptr) GTEST_SKIP() << "only makes sense as another test's child";
  SourceOptions made = options(brokers, "stopped", "stopped");
  made.properties["session.timeout.ms"] = "6000";
  Gate g(made);
  ASSERT_TRUE(g.run_until_assigned(1));
  const core::PartitionId id = g.id_of(0);
  std::string last;
  for (bool lost = false; g.all<core::PartitionAssigned>().size() == 1;) {
    const auto result = g.commit({{id, Offset{20}, {}}});
    const std::string name = result ? name_of(*result) : "none";
    if (std::exchange(last, name) != name) {
      std::printf("%s\n", name.c_str());
      std::fflush(stdout);
    }
    if (!lost && !g.all<core::PartitionLost>().empty()) {
      lost = true;
      g.done_with_all();
    }
    g.run_for(1ms);
  }
  std::printf("joined again\n");
  std::fflush(stdout);
  g.run_for(60s);
}

TEST_F(FencingTest, one_that_was_stopped_and_comes_back_does_not_rewind_the_new_owner) {
  admin->create_topic("stopped", 1);
  producer->many("stopped", 0, 100);
  ::setenv("EINLASS_TEST_BROKERS", broker->brokers().c_str(), 1);
  Child child({"/proc/self/exe", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
               "--gtest_filter=DISABLED_Child.commits_the_same_for_ever"});
  for (std::string line; line != "committed";) {
    line = child.line();
    ASSERT_NE(line, "") << "the child has ended";
  }
  rd_kafka_t* asker = outsider("stopped");
  ASSERT_EQ(committed(asker, "stopped"), 20);

  child.signal(SIGSTOP);
  SourceOptions made = options_for("stopped");
  made.properties["session.timeout.ms"] = "6000";
  Gate owner(made);
  ASSERT_TRUE(owner.run_until_assigned(1));
  ASSERT_TRUE(owner.run_until([&] { return owner.sink.count == 80; }));
  ASSERT_EQ(owner.commit({{owner.id_of(0), Offset{90}, {}}}), core::CommitResult::committed);

  child.signal(SIGCONT);
  const std::string first = child.line();
  EXPECT_EQ(first, "fenced") << "the late commit";
  const auto end = steady_clock::now() + 6s;
  for (std::size_t revoked = 0; steady_clock::now() < end;) {
    owner.run_for(20ms);
    const std::size_t so_far = owner.all<core::PartitionRevoked>().size();
    if (std::exchange(revoked, so_far) != so_far) owner.done_with_all();
    ASSERT_GE(committed(asker, "stopped"), 90) << "rewound by one who owns it no more";
  }
  owner.leave();  // Which of two members has the only partition, their random names decide.
  for (std::string line; line != "joined again";) {
    line = child.line();
    ASSERT_NE(line, "committed") << "of an assignment that it had lost";
    ASSERT_NE(line, "") << "the child has ended";
  }
  rd_kafka_destroy(asker);
}

}  // namespace
}  // namespace einlass::kafka
