// What a TopicReader is made of: topic_reader.cc builds and drives it, topic_messages.cc takes what
// librdkafka hands out, topic_doubts.cc finds out why something does not come.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/wakeups.h"
#include "adapters/kafka/partitions/assignment.h"
#include "adapters/kafka/partitions/lookup.h"
#include "adapters/kafka/reader/topic_reader.h"

namespace einlass::kafka {

// What is odd about a partition, until Kafka has said how far its log goes.
enum class Doubt : std::uint8_t {
  none,
  ended_early,   // Before the end that was noted.
  out_of_range,  // Kafka does not have the next offset, and librdkafka reads no further.
};

struct TopicReader::State {
  static constexpr Duration kQuiet = Duration::seconds(30);  // For how long nothing is told twice.

  State(boost::asio::io_context& io, TopicReaderOptions given, Notify notify_people);
  ~State() { Wakeups::unwatch(queue.get()); }

  // Asks Kafka what throws if it fails. librdkafka often knows better than its answer why.
  template <class Question>
  auto ask(Question question) {
    try {
      return question();
    } catch (const std::runtime_error& error) {
      serve_main_queue();
      const std::string why = troubles.worst();
      throw std::runtime_error("topic " + options.topic + ": " + error.what() +
                               (why.empty() ? "" : "; " + why));
    }
  }

  void woken(Wakeups::Key key);
  void serve_main_queue();
  void serve(rd_kafka_event_t* event);
  void serve_commit(rd_kafka_resp_err_t error);
  void serve_error(rd_kafka_event_t* event);
  void tell(const Trouble& trouble);
  int take(Partition& partition, int budget, MessageSink& sink);
  bool admit(Partition& partition, const rd_kafka_message_t& message);
  void end(Partition& partition);
  void read_no_further(Partition& partition);
  void tick();
  void doubt(Partition& partition, Doubt why, std::int64_t offset);
  void ask_about_doubts();
  void answered(const std::vector<Position>& answers);
  void judge(Partition& partition, const LogBounds& log);
  void give_up(Partition& partition, const LogBounds& log);
  void pass_over(Partition& partition, std::int64_t log_start);
  void read_from_next(Partition& partition);

  TopicReaderOptions options;
  Notify notify;
  rd_kafka_t* client;
  QueueHandle queue;
  Wakeups wakeups;
  Assignment assignment{wakeups};
  std::vector<std::int64_t> ends;  // By PartitionId.
  std::vector<Doubt> doubts;       // As these.
  std::size_t open = 0;            // Partitions with something left to read.
  Troubles troubles{kQuiet};
  bool main_ready = true;
  bool commit_open = false;
  std::optional<bool> commit_result;
  bool metadata_refused = false;  // The brokers take less than it needs: they get none any more.
  std::uint64_t gone = 0;
  Instant now;
  std::vector<Header> headers;  // Used again for each message.
  bool to_ask = false;          // Some partition may be worth a question.
  std::uint64_t last_question = 0;
  Lookup lookup;
};

}  // namespace einlass::kafka
