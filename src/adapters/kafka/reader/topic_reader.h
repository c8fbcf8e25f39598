// Reads one topic from offsets that are given up to ends that were noted, and no further.
//
// It is no member of its group and is given no partitions by it: the group is only where the
// progress is kept. So it disturbs no gate, and two of them on one topic do not know each other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/kafka/client/message.h"
#include "adapters/kafka/client/options.h"
#include "units/id.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::kafka {

struct TopicReaderOptions {
  std::string brokers;
  std::string group;
  std::string topic;
  std::map<std::string, std::string> properties;  // As for the source.
  std::shared_ptr<Login> login{};                 // As for the source.
};

// One partition as Kafka has it now.
struct PartitionState {
  PartitionNumber number;
  Offset first;          // The oldest record that is still there,
  Offset end;            // and behind the newest.
  Offset committed{-1};  // By the group; -1 if it never has.
  std::string metadata;  // Of that commit.
};

// What is to be read of a partition: from `start` to before `end`.
struct ReadRange {
  PartitionNumber number;
  Offset start;
  Offset end;
};

struct Progress {
  PartitionNumber number;
  Offset next;
  std::string metadata;
};

// REQUIRES: used on the thread that runs `io`; outlived by `io`.
class TopicReader {
 public:
  // Throws std::runtime_error, with the property at fault, if librdkafka refuses the configuration.
  TopicReader(boost::asio::io_context& io, TopicReaderOptions options, Notify notify);
  ~TopicReader();
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;

  // ---- before reading; these wait, and throw std::runtime_error with the reason if there is no
  // answer within `patience` or the topic does not exist

  std::vector<PartitionState> look_up(Duration patience);

  // For each partition the first offset of that time (milliseconds since 1970) or later; none where
  // all records are older.
  std::vector<std::optional<Offset>> offsets_at(std::int64_t time_ms,
                                                std::span<const PartitionNumber> partitions,
                                                Duration patience);

  // ---- reading; none of these waits

  // Begins. A partition's messages carry its index among `ranges` as their PartitionId.
  // REQUIRES: called once.
  void begin(std::span<const ReadRange> ranges);

  // Hands on what is there, as much as Source::poll() takes. Trouble with brokers goes to `notify`
  // and is tried again for ever; a log that began anew, or lost its end, is fatal (`kafka_fatal`).
  void poll(Instant now, int budget, MessageSink& sink);
  bool has_more() const;

  void hold(core::PartitionId partition);
  void read(core::PartitionId partition);

  // Reads no partition any further.
  void stop();

  // All is read, or stop() was called.
  bool finished() const;

  // The offset before which all that is to be read was handed on; behind the last one that is the
  // end of the range.
  Offset position(core::PartitionId partition) const;

  // How many of the offsets to be read Kafka had deleted before they were read.
  std::uint64_t gone() const;

  // ---- progress

  // Commits asynchronously. REQUIRES: none is open.
  void commit(std::span<const Progress> progress);

  // The answer to the last commit, once: whether the group has it.
  std::optional<bool> take_commit_result();

  // Commits and waits for the answer, and before that for that of a commit which is still open.
  // False if the group does not have it by then.
  bool commit_and_wait(std::span<const Progress> progress, Duration patience);

  std::string trouble() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
