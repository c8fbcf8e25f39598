// A look at all that is inside, a part at a time: on a real shard, which reads from a list.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/shard/shard.h"
#include "app/views/why.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

constexpr int kRecords = 10'000;
constexpr int kPartitions = 5;

// Some partitions in turn, of which each third record has the key `k`. None is held back: there are
// fewer records than the gate takes of each.
class List final : public kafka::RecordSource {
 public:
  List(core::Events& events, kafka::MessageSink& sink) : events_(events), sink_(sink) {
    for (std::uint32_t i = 0; i < std::uint32_t{kPartitions}; ++i) {
      events.push_back(core::PartitionAssigned{
          .partition = core::PartitionId{i}, .route = core::RouteId{0}, .next = Offset{0}});
    }
  }

  void poll(Instant, int budget) override {
    if (!std::exchange(is_assigned_, true)) return;  // The gate hears of that first.
    for (; budget > 0 && has_more(); --budget, ++next_) {
      kafka::Message message;
      message.topic = topic_;
      message.partition = core::PartitionId{static_cast<std::uint32_t>(next_ % kPartitions)};
      message.number = PartitionNumber{static_cast<std::int32_t>(next_ % kPartitions)};
      message.read_at = message.offset = Offset{next_ / kPartitions};
      message.key = next_ % 3 == 0 ? "k" : "other";
      sink_.take(message);
    }
  }
  bool has_more() const override { return next_ < kRecords; }
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

 private:
  core::Events& events_;
  kafka::MessageSink& sink_;
  const std::string topic_ = "a";
  std::int64_t next_ = 0;
  bool is_assigned_ = false;
};

TEST(WhyLook, takes_a_part_at_a_time_until_all_that_is_inside_was_looked_at) {
  const auto read = config::parse_config(
      "limits: {l: {algorithm: counter, limit: 1, window: 1h}}\n"
      "targets: {t: {http: {url: http://127.0.0.1:9/}}}\n"
      "routes: [{name: r, topics: [a], target: t, limits: [l], order: none, "
      "inside: {records: 20000}}]\n",
      "F", config::test_environment);
  const auto& config = std::get<config::Config>(read);
  boost::asio::io_context io(1);
  ProcessLimits limits(config);
  const Notify none = [](const Notice&) {};
  const KafkaLogins logins(io, config, none);
  const Clock clock;
  Shard shard(io, {}, config, limits, logins, clock, none,
              [](boost::asio::io_context&, core::Events& events, kafka::MessageSink& sink,
                 const Notify&) { return std::make_unique<List>(events, sink); });
  int parts = 0;
  std::optional<WhyAnswer> answer;
  shard.run([&](Instant) {
    if (shard.gate().stats(core::RouteId{0}).received < kRecords || answer) return;
    WhyQuestion question;
    question.key = "k";
    WhyLook look(question);
    for (; !answer; ++parts) answer = look.go_on(shard);
    shard.stop({});
  });
  ASSERT_TRUE(answer);
  EXPECT_GE(parts, 3) << "of 4,096 at most";
  // The first one may have been tried, and be forgotten.
  EXPECT_NEAR(static_cast<double>(answer->with_key), kRecords / 3.0, 1);
  EXPECT_EQ(answer->found.size(), kMostRecordsNamed);
}

}  // namespace
}  // namespace einlass::app
