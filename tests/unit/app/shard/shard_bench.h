// A real shard, which reads from a source of the test's own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>

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

// A shard that reads from such a source, and what it needs.
template <class OneSource>
struct ShardBench {
  explicit ShardBench(config::Config from)
      : configured(std::move(from)),
        limits(configured),
        logins(io, configured, [](const Notice&) {}),
        shard(
            io, {}, configured, limits, logins, clock, [](const Notice&) {},
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
  Shard shard;
};

}  // namespace einlass::app
