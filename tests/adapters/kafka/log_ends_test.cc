// Of which partitions it is said that nobody leads them.
#include "adapters/kafka/partitions/log_ends.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace einlass::kafka {
namespace {

// Ends with the process: the thread that asks may be in the middle of a call.
rd_kafka_t* nobodys_client() {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", "127.0.0.1:1", nullptr, 0);
  rd_kafka_conf_set(conf, "group.id", "group", nullptr, 0);
  rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
  static rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, nullptr, 0);
  return client;
}

TEST(LogEnds, that_nobody_answers_while_no_broker_is_there_is_no_missing_leader) {
  boost::asio::io_context io;
  Wakeups wakeups(io, [](Wakeups::Key) {});
  Assignment assignment(wakeups);
  Partition& partition = assignment.add("topic", PartitionNumber{0}, core::RouteId{0});
  partition.phase = Phase::reading;
  LogEnds ends(io, nobodys_client(), assignment);
  partition.unanswered = 3;
  ends.tick(Instant{}, true);
  EXPECT_TRUE(LogEnds::offline(partition));
  ends.tick(Instant{}, false);
  EXPECT_FALSE(LogEnds::offline(partition)) << "it would be said once a broker is back";
  partition.unanswered = 3;
  partition.offline = true;  // As was said while the others could be reached.
  ends.tick(Instant{}, false);
  EXPECT_TRUE(LogEnds::offline(partition)) << "a broker that is back need not be its leader";
}

}  // namespace
}  // namespace einlass::kafka
