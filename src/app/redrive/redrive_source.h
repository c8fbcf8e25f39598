// A dead letter topic as what a shard reads from: each dead letter is the record that it was, under
// the route that it had.
//
// A partition of the topic may hold letters of several routes. To the gate each of these is an
// assignment of its own, made when the first letter of that route is read; the partition is read
// while none of them is held.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kafka/reader/topic_reader.h"
#include "adapters/kafka/source/source.h"
#include "app/redrive/redrive_book.h"
#include "app/redrive/redrive_choice.h"
#include "core/contract/event.h"

namespace einlass::app {

// What of one partition is to be sent again.
struct RedriveRange {
  kafka::ReadRange read;
  std::vector<core::OffsetRange> finished;  // Above read.start, by an earlier redrive.
};

// Of all letters that were read; those on their way are the rest.
struct RedriveCounts {
  std::uint64_t read = 0;
  std::uint64_t sent = 0;     // Handed to the gate.
  std::uint64_t skipped = 0;  // By the filters, or finished by an earlier redrive:
  std::uint64_t finished = 0;  // so many of them.
  std::uint64_t left = 0;     // Could not be sent.
  std::uint64_t offsets = 0;  // Passed, whether a letter stood there or not.
};

// REQUIRES: one thread; outlived by what the constructor is given.
class RedriveSource final : public kafka::RecordSource, private kafka::MessageSink {
 public:
  // Begins to read the ranges. Ends by itself after `most_sent` letters were handed on.
  RedriveSource(kafka::TopicReader& reader, std::span<const RedriveRange> ranges,
                const RedriveChoice& choice, std::uint64_t most_sent, core::Events& events,
                kafka::MessageSink& sink, Notify notify);

  // Hands nothing on any more.
  void stop();

  // All is handed on that ever will be.
  bool finished() const { return reader_.finished(); }

  RedriveCounts counts() const;

  // After close(): whether the group knows all that was finished.
  bool progress_is_kept() const { return progress_is_kept_; }

  void poll(Instant now, int budget) override;
  bool has_more() const override { return reader_.has_more(); }
  void hold(core::PartitionId assignment) override;
  void read(core::PartitionId assignment) override;
  void commit(std::span<const core::CommitEntry> entries) override;
  void partition_done(core::PartitionId) override {}  // None is ever given back to anybody.
  void close(Duration patience) override;
  std::string name_of(core::PartitionId assignment) const override;
  const std::string& topic_of(core::PartitionId assignment) const override;
  kafka::SourceStatus status() const override;

 private:
  // One route's letters in one partition.
  struct Assignment {
    core::PartitionId partition;  // The reader's.
    bool held = false;
  };

  struct Partition {
    kafka::ReadRange range;
    RedriveBook book;
    kafka::Progress kept;  // What the group knows.
    int holds = 0;         // Its assignments that are held.
    bool full = false;     // Not read until something of it is finished.
  };

  void take(const kafka::Message& message) override;
  void leave(const kafka::Message& message, const std::string& why);
  core::PartitionId assignment_of(const kafka::Message& message, core::RouteId route);
  void hand_on(const kafka::Message& message, const Choice& choice);
  void read_if_free(core::PartitionId partition);
  std::vector<kafka::Progress> new_progress() const;

  kafka::TopicReader& reader_;
  const RedriveChoice& choice_;
  const std::uint64_t most_sent_;
  core::Events& events_;
  kafka::MessageSink& sink_;
  const Notify notify_;
  std::vector<Partition> partitions_;    // By the reader's PartitionId.
  std::vector<Assignment> assignments_;  // By the gate's.
  std::map<std::pair<core::PartitionId, core::RouteId>, core::PartitionId> ids_;
  std::vector<kafka::Progress> in_commit_;
  std::vector<kafka::Header> headers_;  // Used again for each letter.
  RedriveCounts counts_;
  bool progress_is_kept_ = false;
};

}  // namespace einlass::app
