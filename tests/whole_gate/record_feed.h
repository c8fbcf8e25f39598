// Where the gate's records come from: partitions that are assigned, taken away and given back, and
// a group that keeps what is committed, as Kafka would be seen behind the interface of a source.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"

namespace einlass::whole {

// The group's side: outlives the gates that read.
struct Group {
  struct Partition {
    std::int64_t next = 0;
    std::string finished;
    std::int64_t written = 0;  // How many of its records are there yet.
  };
  std::vector<Partition> partitions;
  bool commits_fail = false;  // Some do.
};

class RecordFeed final : public kafka::RecordSource {
 public:
  // REQUIRES: outlived by all of them; as many origins as the group has partitions.
  RecordFeed(Kernel& kernel, Judge& judge, Group& group, const std::vector<Origin>& origins,
             boost::asio::io_context& io, core::Events& events, kafka::MessageSink& sink);
  ~RecordFeed() override;

  // The group takes a partition, and gives it back a while later.
  void take_away(std::size_t partition);

  // There may be more to read, or something for the gate to hear.
  void wake();

  void join() override;
  void poll(Instant now, int budget) override;
  bool has_more() const override;
  void hold(core::PartitionId partition) override { at(partition).held = true; }
  void read(core::PartitionId partition) override { at(partition).held = false; }
  void commit(std::span<const core::CommitEntry> entries) override;
  void partition_done(core::PartitionId partition) override;
  void close(Duration) override {}
  std::string name_of(core::PartitionId partition) const override { return topic_of(partition); }
  const std::string& topic_of(core::PartitionId partition) const override {
    return origins_[partition.value].topic;
  }
  kafka::SourceStatus status() const override { return {}; }

 private:
  struct Reading {
    bool assigned = false, revoked = false, held = false;
    bool known = false;   // The gate has heard of the assignment.
    int assignments = 0;  // That there have been.
    std::int64_t next = 0;
    std::vector<core::OffsetRange> finished;
  };

  Reading& at(core::PartitionId partition) { return readings_[partition.value]; }
  void assign(std::size_t partition);
  void hand_on(std::size_t partition);
  bool can_read(std::size_t partition) const;
  void later(Micros delay, std::function<void()> what);

  Kernel& kernel_;
  Judge& judge_;
  Group& group_;
  boost::asio::io_context& io_;
  core::Events& events_;
  kafka::MessageSink& sink_;
  const std::vector<Origin>& origins_;  // By partition.
  std::vector<Reading> readings_;
  std::size_t turn_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace einlass::whole
