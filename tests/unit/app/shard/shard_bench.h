// A real shard, which reads from a source of the test's own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/shard/shard.h"

namespace einlass::app {

// What the sources of these tests do not do.
class ShardSource : public kafka::RecordSource {
 public:
  explicit ShardSource(core::Events& events) : events_(events) {}
  void hold(core::PartitionId) override {}
  void read(core::PartitionId) override {}
  void commit(std::span<const core::CommitEntry>) override {
    events_.push_back(core::CommitEnded{core::CommitResult::committed});
  }
  void partition_done(core::PartitionId) override {}
  void close(Duration) override {}
  std::string name_of(core::PartitionId) const override { return topic_; }
  const std::string& topic_of(core::PartitionId) const override { return topic_; }
  kafka::SourceStatus status() const override { return {}; }

 protected:
  core::Events& events_;
  const std::string topic_ = "a";
};

// One that has one record, of one partition.
class OneRecord : public ShardSource {
 public:
  OneRecord(core::Events& events, kafka::MessageSink& sink) : ShardSource(events), sink_(sink) {
    assign();
  }
  void poll(Instant now, int) override {
    if (std::exchange(polls_, polls_ + 1) != 1) return;  // The gate hears of the partition first.
    kafka::Message message;
    message.topic = topic_;
    message.partition = core::PartitionId{0};
    message.read_at = message.offset = Offset{0};
    hand_on(message);
    was_handed_on(now);
  }
  bool has_more() const override { return polls_ < 2; }

 protected:
  void assign() {
    events_.push_back(core::PartitionAssigned{
        .partition = core::PartitionId{0}, .route = core::RouteId{0}, .next = Offset{0}});
  }
  virtual void hand_on(kafka::Message& message) { sink_.take(message); }
  virtual void was_handed_on(Instant) {}

  kafka::MessageSink& sink_;

 private:
  int polls_ = 0;
};

// One that has so many records in so many partitions, in turn.
class ListSource : public ShardSource {
 public:
  ListSource(core::Events& events, kafka::MessageSink& sink, int partitions, std::int64_t records)
      : ShardSource(events), sink_(sink), partitions_(partitions), records_(records) {
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(partitions); ++i) {
      events.push_back(core::PartitionAssigned{
          .partition = core::PartitionId{i}, .route = core::RouteId{0}, .next = Offset{0}});
    }
  }

  void poll(Instant, int budget) override {
    if (!std::exchange(is_assigned_, true)) return;  // The gate hears of that first.
    for (; budget > 0 && has_more(); --budget, ++next_) {
      const std::string key = key_of(next_);
      const std::int64_t partition = next_ % partitions_;
      kafka::Message message;
      message.topic = topic_;
      message.partition = core::PartitionId{static_cast<std::uint32_t>(partition)};
      message.number = PartitionNumber{static_cast<std::int32_t>(partition)};
      message.read_at = message.offset = Offset{next_ / partitions_};
      message.key = key;
      sink_.take(message);
    }
  }
  bool has_more() const override { return next_ < records_; }

 private:
  virtual std::string key_of(std::int64_t record) const = 0;

  kafka::MessageSink& sink_;
  const std::int64_t partitions_, records_;
  std::int64_t next_ = 0;
  bool is_assigned_ = false;
};

// A shard that reads from such a source, and what it needs.
template <class OneSource>
struct ShardBench {
  explicit ShardBench(config::Config from)
      : configured(std::move(from)),
        limits(configured),
        logins(io, configured, [](const Notice&) {}),
        shard(
            io, {}, configured, limits, logins, clock,
            [this](const Notice& notice) { told.push_back(notice); },
            [](boost::asio::io_context&, core::Events& events, kafka::MessageSink& sink,
               const Notify&) { return std::make_unique<OneSource>(events, sink); }) {}

  // Runs the shard until `is_done`, which is asked after each turn, says so.
  template <class F>
  void run_until(F is_done) {
    bool stops = false;
    shard.run([&](Instant) {
      if (!stops && (stops = is_done())) shard.stop({});
    });
  }

  boost::asio::io_context io{1};
  const config::Config configured;
  ProcessLimits limits;
  const KafkaLogins logins;
  const Clock clock;
  std::vector<Notice> told;
  Shard shard;
};

}  // namespace einlass::app
