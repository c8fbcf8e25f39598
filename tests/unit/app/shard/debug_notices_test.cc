// What log.level debug adds: a line that is the same for all records, with one of them beside it.
#include "app/shard/debug_notices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/setup/wiring.h"

namespace einlass::app {
namespace {

constexpr Instant kNow{1'800'000'000'000'000};

struct Source final : kafka::RecordSource {
  void poll(Instant, int) override {}
  bool has_more() const override { return false; }
  void hold(core::PartitionId) override {}
  void read(core::PartitionId) override {}
  void commit(std::span<const core::CommitEntry>) override {}
  void partition_done(core::PartitionId) override {}
  void close(Duration) override {}
  std::string name_of(core::PartitionId id) const override {
    return "results partition " + std::to_string(id.value);
  }
  const std::string& topic_of(core::PartitionId) const override { return topic; }
  kafka::SourceStatus status() const override { return {}; }

  std::string topic = "results";
};

// One route with a limit in memory.
config::Config sample() {
  config::Config config;
  config.targets.resize(1);
  config.targets[0].name = "billing";
  config.limits.resize(1);
  config.limits[0].limit = {"callbacks", limits::TokenBucketParameters{{1, 1'000'000}, {3}},
                            Permits{1}};
  config.routes.resize(1);
  config.routes[0].name = "results";
  config.routes[0].limits = {0};
  return config;
}

struct Bench {
  Bench() : gate(gate_options(config, ShardNumber{}, 1)) {}

  core::RecordId put(std::int64_t offset) {
    kafka::Message message;
    message.topic = "results";
    message.number = PartitionNumber{2};
    message.offset = Offset{offset};
    message.key = "a secret key";
    message.value = "a secret value";
    return records.put(message, core::RouteId{0});
  }

  // The only notice of it.
  template <class What>
  Notice told(const What& what) {
    said.clear();
    using Of = std::conditional_t<std::is_constructible_v<core::Event, const What&>, core::Event,
                                  core::Command>;
    notices.note(Of(what), config, source);
    EXPECT_EQ(said.size(), 1u);
    return said.empty() ? Notice{} : said[0];
  }

  const config::Config config = sample();
  boost::asio::io_context io;
  core::Events events;
  ProcessLimits shared{config};
  core::Gate gate;
  Limiters limiters{io, config, shared, RunId{}, events, [](const Notice&) {}, gate};
  RecordStore records{{JsonNeeds{}}};
  Source source;
  std::vector<Notice> said;
  const Notify notify = [this](const Notice& notice) { said.push_back(notice); };
  const DebugNotices notices{limiters, records, notify};
};

TEST(DebugNotices, name_what_records_have_in_common_and_one_of_them_beside_it) {
  Bench bench;
  const core::RecordId first = bench.put(17), second = bench.put(18);
  const core::TargetId target{0};
  const Notice one = bench.told(core::Send{first, target, core::Attempt{1}, {}});
  EXPECT_EQ(one.severity, Severity::debug);
  EXPECT_EQ(one.what, "attempt_begun");
  EXPECT_EQ(one.detail, "route results: a record is sent to target billing");
  EXPECT_EQ(one.example, "results-2@17, attempt 1");
  EXPECT_EQ(one.detail, bench.told(core::Send{second, target, core::Attempt{4}, {}}).detail);
}

TEST(DebugNotices, say_what_a_limit_answers) {
  Bench bench;
  const core::LineId line{0};
  const core::AskId ask{1};
  const Notice asked = bench.told(core::Ask{line, ask, Permits{1}, Permits{12}, Duration{}});
  EXPECT_EQ(asked.detail, "route results: permits of callbacks are asked for, in memory");
  EXPECT_EQ(asked.example, "1 to 12");

  const std::vector<Duration> due = {Duration{}, Duration::millis(300)};
  core::PermitsAnswered answer{line, ask, due, kNow};
  const Notice granted = bench.told(answer);
  EXPECT_EQ(granted.what, "permits_granted");
  EXPECT_EQ(granted.example, "2, the last due in 300ms");

  answer.due = {};
  answer.retry = Duration::millis(250);
  const Notice denied = bench.told(answer);
  EXPECT_EQ(denied.what, "permits_denied");
  EXPECT_EQ(denied.detail, "route results: limit callbacks grants no permit");
  EXPECT_EQ(denied.example, "asked again in 250ms");

  answer.retry = std::nullopt;
  EXPECT_EQ(bench.told(answer).example, "no waiting helps");
  EXPECT_EQ(bench.told(core::PermitsFailed{line, ask}).example, "asked again in 50ms");
}

TEST(DebugNotices, say_how_an_attempt_ended_and_nothing_that_the_server_wrote) {
  Bench bench;
  core::DeliveryEnded ended{bench.put(17), core::Attempt{2}, core::Outcome::retry};
  ended.status = 503;
  ended.hold_target = Duration::seconds(240);
  ended.reason = "status 503: a secret value is too much";
  const Notice one = bench.told(ended);
  EXPECT_EQ(one.detail,
            "route results: target billing did not take a record, which is to be tried again");
  EXPECT_EQ(one.example, "results-2@17, attempt 2, status 503, nothing more for 4m");
}

TEST(DebugNotices, name_some_of_the_partitions_of_a_commit) {
  Bench bench;
  std::vector<core::CommitEntry> entries;
  for (std::uint32_t i = 0; i < 6; ++i) entries.push_back({{i}, Offset{100 + i}, {}});
  const Notice one = bench.told(core::Commit{entries});
  EXPECT_TRUE(one.example.starts_with("results partition 0 up to 100, results partition 1 up to"));
  EXPECT_TRUE(one.example.ends_with(", and 2 more")) << one.example;
  EXPECT_EQ(bench.told(core::CommitEnded{core::CommitResult::committed}).what, "commit_ended");
}

TEST(DebugNotices, say_why_a_partition_is_read_no_further) {
  Bench bench;
  const Notice held = bench.told(core::PartitionHold{{3}, core::PartitionHoldReason::gate_full});
  EXPECT_NE(held.detail.find("the gate has as many records inside as it may"), std::string::npos);
  EXPECT_EQ(held.example, "results partition 3");
  EXPECT_EQ(bench.told(core::Read{{3}}).example, held.example);
}

TEST(DebugNotices, hold_nothing_of_a_records_content) {
  Bench bench;
  const core::RecordId id = bench.put(17);
  const core::RecordArrived arrived{{2}, id, Offset{17}, {0}, std::nullopt, Bytes{1}};
  const Notice one = bench.told(arrived);
  EXPECT_EQ(one.detail + one.example, "route results: a record was readresults-2@17");
}

}  // namespace
}  // namespace einlass::app
