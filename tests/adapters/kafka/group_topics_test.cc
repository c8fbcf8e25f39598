// Who in the group has which topics, asked of a real broker.
#include "adapters/kafka/source/group_topics.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <set>
#include <string>

#include "adapters/kafka/questions/hand_assigned_consumer.h"
#include "adapters/kafka/real_broker_fixture.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class GroupTopicsTest : public RealBrokerTest {};

// librdkafka ends the process, or stands still, where it has given a question up before it finds
// the group's coordinator.
TEST_F(GroupTopicsTest, a_question_waits_for_the_coordinator_and_is_answered) {
  admin->create_topic("asked", 1);
  Gate member(options_for("asked", "gate-1"));
  ASSERT_TRUE(member.run_until_assigned(1));
  rd_kafka_t* client = new_hand_assigned_consumer(options_for("asked"));
  const rd_kafka_metadata_t* metadata = nullptr;
  ASSERT_EQ(rd_kafka_metadata(client, 0, nullptr, &metadata, 20'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_metadata_destroy(metadata);

  GroupTopics topics(client, "asked");
  const std::set<std::string> wanted = {"asked", "of-nobody"};
  broker->signal(SIGSTOP);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(topics.tick(wanted).empty());
  member.run_for(1500ms);  // A second was too short.
  broker->signal(SIGCONT);
  std::set<std::string> told;
  EXPECT_TRUE(member.run_until([&] {
    told = topics.tick(wanted);
    return !told.empty();
  }));
  EXPECT_EQ(told, std::set<std::string>{"of-nobody"});
  member.leave();
}

}  // namespace
}  // namespace einlass::kafka
