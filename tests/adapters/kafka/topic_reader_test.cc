// One topic is read from given offsets to given ends, whatever happens to it meanwhile.
#include "adapters/kafka/reader/topic_reader.h"

#include <boost/asio/executor_work_guard.hpp>

#include "adapters/kafka/harness.h"
#include "adapters/kafka/real_broker_fixture.h"

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

  ~Reading() { show_of_a_failed_test(notices); }
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

ReadRange range_of(std::int64_t start, std::int64_t end, std::int32_t number = 0) {
  return {PartitionNumber{number}, Offset{start}, Offset{end}};
}

// ---- what becomes of the topic meanwhile ----

class TopicReaderTest : public RealBrokerTest {
 protected:
  static void create(const std::string& topic, int letters) {
    admin->create_topic(topic, 1);
    producer->many(topic, 0, letters);
  }

  // The same name, and another log.
  static void recreate(const std::string& topic, int letters = 0) {
    admin->delete_topic(topic);
    admin->create_topic(topic, 1);
    if (letters > 0) producer->many(topic, 0, letters);
  }

  // Each letter is a fetch of its own, and the next one is fetched when it was taken.
  static std::map<std::string, std::string> one_at_a_time() {
    return {{"fetch.message.max.bytes", "1000"}, {"queued.min.messages", "1"}};
  }

  static void create_large(const std::string& topic, int letters) {
    admin->create_topic(topic, 1);
    for (int i = 0; i < letters; ++i) producer->many(topic, 0, 1, 2000);
  }
};

TEST_F(TopicReaderTest, one_that_was_recreated_empty_is_fatal) {
  for (const std::int64_t start : {0, 50}) {
    const std::string topic = "reader-anew-" + std::to_string(start);
    create(topic, 100);
    Reading reading(broker->brokers(), topic);
    ASSERT_EQ(reading.reader.look_up(Duration::seconds(15)).at(0).end, Offset{100});
    recreate(topic);
    reading.begin({range_of(start, 100)});
    EXPECT_TRUE(reading.run_to_the_end()) << "from " << start << " it waits for ever";
    EXPECT_EQ(reading.count_notices("kafka_fatal"), 1u);
    EXPECT_EQ(reading.reader.position(core::PartitionId{0}), Offset{start});
    EXPECT_EQ(reading.reader.gone(), 0u);
  }
}

TEST_F(TopicReaderTest, one_that_was_recreated_and_has_fewer_letters_is_fatal) {
  create_large("reader-anew-with-some", 12);
  Reading reading(broker->brokers(), "reader-anew-with-some", one_at_a_time());
  reading.budget = 1;
  reading.begin({range_of(0, 12)});
  ASSERT_TRUE(reading.run_until([&] { return reading.sink.count == 3; }));
  recreate("reader-anew-with-some", 2);
  EXPECT_TRUE(reading.run_to_the_end()) << "it waits for ever";
  EXPECT_EQ(reading.count_notices("kafka_fatal"), 1u);
  EXPECT_LT(reading.sink.count, 12u);
}

TEST_F(TopicReaderTest, what_retention_deletes_to_the_end_is_counted_and_told) {
  create("reader-all-gone", 100);
  Reading reading(broker->brokers(), "reader-all-gone");
  ASSERT_EQ(reading.reader.look_up(Duration::seconds(15)).at(0).end, Offset{100});
  admin->delete_before("reader-all-gone", 0, 100);
  reading.begin({range_of(0, 100)});
  EXPECT_TRUE(reading.run_to_the_end());
  EXPECT_EQ(reading.reader.gone(), 100u);
  EXPECT_EQ(reading.count_notices("kafka_offsets_skipped"), 1u);
  EXPECT_EQ(reading.reader.position(core::PartitionId{0}), Offset{100});
  EXPECT_EQ(reading.sink.count, 0u);
}

TEST_F(TopicReaderTest, behind_what_retention_deletes_it_reads_on) {
  admin->create_topic("reader-some-gone", 2);
  for (const int number : {0, 1}) producer->many("reader-some-gone", number, 100);
  Reading reading(broker->brokers(), "reader-some-gone");
  admin->delete_before("reader-some-gone", 0, 40);
  reading.begin({range_of(0, 90), range_of(0, 100, 1)});
  EXPECT_TRUE(reading.run_to_the_end());
  EXPECT_EQ(reading.reader.gone(), 40u);
  EXPECT_EQ(reading.count_notices("kafka_offsets_skipped"), 1u);
  EXPECT_EQ(reading.sink.offsets(0), range(40, 90));
  EXPECT_EQ(reading.sink.offsets(1), range(0, 100));
}

TEST_F(TopicReaderTest, what_retention_deletes_just_before_it_is_read_is_counted_once) {
  create_large("reader-overtaken", 16);
  Reading reading(broker->brokers(), "reader-overtaken", one_at_a_time());
  reading.budget = 1;
  reading.begin({range_of(0, 16)});
  for (const std::int64_t gone_before : {7, 14}) {
    ASSERT_TRUE(reading.run_until(
        [&] { return reading.reader.position(core::PartitionId{0}) > Offset{gone_before - 7}; }));
    admin->delete_before("reader-overtaken", 0, gone_before);
  }
  EXPECT_TRUE(reading.run_to_the_end());
  EXPECT_EQ(reading.count_notices("kafka_offsets_skipped"), 2u);
  EXPECT_GT(reading.reader.gone(), 0u);
  EXPECT_EQ(reading.reader.gone() + reading.sink.count, 16u);
  EXPECT_EQ(reading.count_notices("kafka_fatal"), 0u);
}

// Writes letters and a mark behind them.
void write_transaction(rd_kafka_t* client, const std::string& topic, int letters, bool committed) {
  ASSERT_EQ(rd_kafka_begin_transaction(client), nullptr);
  for (int i = 0; i < letters; ++i) {
    ASSERT_EQ(rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(0),
                                RD_KAFKA_V_END),
              RD_KAFKA_RESP_ERR_NO_ERROR);
  }
  ASSERT_EQ(rd_kafka_flush(client, 20'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  ASSERT_EQ(committed ? rd_kafka_commit_transaction(client, 20'000)
                      : rd_kafka_abort_transaction(client, 20'000),
            nullptr);
}

TEST_F(TopicReaderTest, marks_of_transactions_and_what_was_aborted_are_no_loss) {
  admin->create_topic("reader-marks", 1);
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", broker->brokers().c_str(), nullptr, 0);
  rd_kafka_conf_set(conf, "transactional.id", "reader-marks", nullptr, 0);
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  ASSERT_EQ(rd_kafka_init_transactions(client, 20'000), nullptr);
  write_transaction(client, "reader-marks", 3, true);
  write_transaction(client, "reader-marks", 2, true);
  write_transaction(client, "reader-marks", 3, false);
  rd_kafka_destroy(client);
  Reading reading(broker->brokers(), "reader-marks");
  std::int64_t end = 0;
  ASSERT_TRUE(reading.run_until([&] {
    end = reading.reader.look_up(Duration::seconds(15)).at(0).end.value;
    return end == 11;
  })) << end;
  reading.begin({range_of(0, end)});
  EXPECT_TRUE(reading.run_to_the_end());
  EXPECT_EQ(reading.sink.offsets(0), (std::vector<std::int64_t>{0, 1, 2, 4, 5}));
  EXPECT_EQ(reading.reader.position(core::PartitionId{0}), Offset{end});
  EXPECT_EQ(reading.reader.gone(), 0u);
  EXPECT_EQ(reading.count_notices("kafka_offsets_skipped"), 0u);
}

// ---- with brokers that do as they are told ----

// The first commit's metadata is too much for them.
struct RefusedMetadata {
  RefusedMetadata() {
    cluster.create_topic("dead", 1);
    cluster.fail(kOffsetCommitApi, {RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE});
  }

  MockCluster cluster;
  Reading reading{cluster.brokers(), "dead"};
  const std::vector<Progress> progress = {{PartitionNumber{0}, Offset{5}, "e2GBB"}};
};

TEST(TopicReader, commits_without_metadata_where_the_brokers_take_less) {
  RefusedMetadata world;
  EXPECT_TRUE(world.reading.reader.commit_and_wait(world.progress, Duration::seconds(15)));
  EXPECT_EQ(world.reading.count_notices("kafka_metadata_refused"), 1u);
  const auto states = world.reading.reader.look_up(Duration::seconds(15));
  EXPECT_EQ(states.at(0).committed, Offset{5});
  EXPECT_EQ(states.at(0).metadata, "");
}

TEST(TopicReader, what_is_committed_after_metadata_was_refused_has_none) {
  RefusedMetadata world;
  for (const bool kept : {false, true}) {
    world.reading.reader.commit(world.progress);
    std::optional<bool> result;
    ASSERT_TRUE(world.reading.run_until([&] {
      result = world.reading.reader.take_commit_result();
      return result.has_value();
    }));
    EXPECT_EQ(*result, kept);
  }
  EXPECT_EQ(world.reading.reader.look_up(Duration::seconds(15)).at(0).metadata, "");
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
