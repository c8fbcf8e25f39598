// One topic is read from given offsets to given ends, whatever happens to it meanwhile.
#include "adapters/kafka/reader/topic_reader.h"

#include <boost/asio/executor_work_guard.hpp>
#include <numeric>

#include "adapters/kafka/harness.h"

namespace einlass::kafka {
namespace {

using namespace testing;
using namespace std::chrono_literals;

// A reader with a loop around it.
class Reading {
 public:
  Reading(const std::string& brokers, const std::string& topic,
          std::map<std::string, std::string> properties = {})
      : reader(io, {brokers, topic + ".redrive", topic, std::move(properties)},
               [this](const Notice& notice) { notices.push_back(notice); }) {}

  // A failed test shows what was told.
  ~Reading() {
    if (!::testing::Test::HasFailure()) return;
    for (const Notice& notice : notices) {
      std::printf("%s: %s\n", notice.what.c_str(), notice.detail.c_str());
    }
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void begin(std::vector<ReadRange> ranges) { reader.begin(ranges); }

  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds patience = kPatience) {
    const auto deadline = steady_clock::now() + patience;
    while (!done()) {
      if (steady_clock::now() > deadline) return false;
      if (reader.has_more()) {
        io.poll();
      } else {
        io.run_one_for(5ms);
      }
      reader.poll(now(), budget, sink);
    }
    return true;
  }

  bool run_to_the_end() {
    return run_until([this] { return reader.finished(); });
  }

  std::size_t count_notices(const std::string& what) const {
    std::size_t count = 0;
    for (const Notice& one : notices) count += one.what == what;
    return count;
  }

  boost::asio::io_context io;
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      io.get_executor()};  // Else it would not wait.
  std::vector<Notice> notices;
  RecordingSink sink;
  int budget = 1000;
  TopicReader reader;
};

// ---- with brokers that do as they are told ----

TEST(TopicReader, commits_without_metadata_where_the_brokers_take_less) {
  MockCluster cluster;
  cluster.create_topic("dead", 1);
  Reading reading(cluster.brokers(), "dead");
  const std::vector<Progress> progress = {{PartitionNumber{0}, Offset{5}, "e1BB"}};
  cluster.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  EXPECT_TRUE(reading.reader.commit_and_wait(progress, Duration::seconds(15)));
  EXPECT_EQ(reading.count_notices("kafka_metadata_refused"), 1u);
  const auto states = reading.reader.look_up(Duration::seconds(15));
  EXPECT_EQ(states.at(0).committed, Offset{5});
  EXPECT_EQ(states.at(0).metadata, "");
}

TEST(TopicReader, what_is_committed_after_metadata_was_refused_has_none) {
  MockCluster cluster;
  cluster.create_topic("dead", 1);
  Reading reading(cluster.brokers(), "dead");
  const std::vector<Progress> progress = {{PartitionNumber{0}, Offset{5}, "e1BB"}};
  cluster.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  for (const bool kept : {false, true}) {
    reading.reader.commit(progress);
    std::optional<bool> result;
    ASSERT_TRUE(reading.run_until([&] {
      result = reading.reader.take_commit_result();
      return result.has_value();
    }));
    EXPECT_EQ(*result, kept);
  }
  EXPECT_EQ(reading.reader.look_up(Duration::seconds(15)).at(0).metadata, "");
}

TEST(TopicReader, looks_up_all_partitions_at_once) {
  constexpr int kPartitions = 200;
  MockCluster cluster;
  cluster.create_topic("dead", kPartitions);
  Reading reading(cluster.brokers(), "dead");
  rd_kafka_mock_broker_set_rtt(cluster.get(), 1, 100);
  const auto states = reading.reader.look_up(Duration::seconds(15));
  EXPECT_EQ(states.size(), std::size_t{kPartitions});
  EXPECT_EQ(states.back().number, PartitionNumber{kPartitions - 1});
  EXPECT_EQ(states.back().end, Offset{0});
}

}  // namespace
}  // namespace einlass::kafka
