// A look at all that is inside, a part at a time: on a real shard, which reads from a list.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/status/why_text.h"
#include "app/views/shard_view.h"
#include "app/views/why.h"
#include "unit/app/shard/shard_bench.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

constexpr int kRecords = 10'000;
constexpr int kPartitions = 5;

// Some partitions in turn, of which each third record has the key `k`. None is held back: there are
// fewer records than the gate takes of each.
class List final : public ListSource {
 public:
  List(core::Events& events, kafka::MessageSink& sink)
      : ListSource(events, sink, kPartitions, kRecords) {}

 private:
  std::string key_of(std::int64_t record) const override { return record % 3 == 0 ? "k" : "other"; }
};

// Its partition is lost while its record is on its way, and then assigned anew.
class Reassigned final : public OneRecord {
 public:
  using OneRecord::OneRecord;
  void partition_done(core::PartitionId) override { assign(); }

 private:
  void hand_on(kafka::Message& message) override {
    message.key = "k";
    sink_.take(message);
  }
  void was_handed_on(Instant) override {
    events_.push_back(core::PartitionLost{core::PartitionId{0}});
  }
};

// Its record is of a tenant whose name is longer than a bucket's key may be.
class Long final : public OneRecord {
 public:
  using OneRecord::OneRecord;
  static std::string tenant() { return std::string(200, 't'); }

 private:
  void hand_on(kafka::Message& message) override {
    const std::string name = tenant();
    const kafka::Header header{"tenant", name};
    message.headers = {&header, 1};
    sink_.take(message);
  }
};

// A source of one partition, which says whether it is held.
kafka::SourceStatus one_partition(const std::string& topic, bool held) {
  kafka::SourceStatus status;
  kafka::SourceStatus::Partition& partition = status.partitions.emplace_back();
  partition.partition = core::PartitionId{0};
  partition.topic = topic;
  partition.number = PartitionNumber{0};
  partition.held = held;
  return status;
}

// Two records that stay inside, for the limit lets one go, and behind them as many as may be read
// that the filter leaves out.
class LongLedger final : public ListSource {
 public:
  LongLedger(core::Events& events, kafka::MessageSink& sink)
      : ListSource(events, sink, 1, 70'000) {}
  void hold(core::PartitionId) override { held_ = true; }
  bool has_more() const override { return !held_ && ListSource::has_more(); }
  kafka::SourceStatus status() const override { return one_partition(topic_, held_); }

 private:
  std::string key_of(std::int64_t record) const override { return record < 2 ? "k" : "other"; }

  bool held_ = false;
};

// Its partition is revoked while its record is on its way.
class Revoked final : public OneRecord {
 public:
  using OneRecord::OneRecord;
  void hold(core::PartitionId) override { held_ = true; }
  kafka::SourceStatus status() const override { return one_partition(topic_, held_); }

 private:
  void was_handed_on(Instant now) override {
    events_.push_back(core::PartitionRevoked{core::PartitionId{0}, now + Duration::seconds(60)});
  }

  bool held_ = false;
};

// Of an offset that was not read yet.
WhyAnswer beyond(const Shard& shard) {
  const WhyQuestion question{"a", PartitionNumber{0}, Offset{1'000'000}, std::nullopt};
  return WhyLook(question).go_on(shard).value();
}

config::Config config_with(const std::string& limit, const std::string& url) {
  return std::get<config::Config>(config::parse_config(
      "limits: {l: {" + limit + "}}\ntargets: {t: {http: {url: '" + url +
          "'}}}\nroutes: [{name: r, topics: [a], target: t, limits: [l], order: none, "
          "inside: {records: 20000}}]\n",
      "F", config::test_environment));
}

TEST(WhyLook, takes_a_part_at_a_time_until_all_that_is_inside_was_looked_at) {
  int parts = 0;
  std::optional<WhyAnswer> answer;
  ShardBench<List> bench(
      config_with("algorithm: counter, limit: 1, window: 1h", "http://127.0.0.1:9/"));
  bench.run_until([&] {
    if (bench.shard.gate().stats(core::RouteId{0}).received < kRecords) return false;
    WhyQuestion question;
    question.key = "k";
    WhyLook look(question);
    for (; !answer; ++parts) answer = look.go_on(bench.shard);
    return true;
  });
  ASSERT_TRUE(answer);
  EXPECT_GE(parts, 3) << "of 4,096 at most";
  // The first one may have been tried, and be forgotten.
  EXPECT_NEAR(static_cast<double>(answer->with_key), kRecords / 3.0, 1);
  EXPECT_EQ(answer->found.size(), kMostRecordsNamed);
}

// No attempt has failed that would say so.
TEST(WhyLook, says_why_nothing_can_be_delivered_to_the_target) {
  std::string says;
  ShardBench<List> bench(std::get<config::Config>(config::parse_config(
      "targets: {t: {http: {url: 'http://127.0.0.1:9/', auth: {oauth2: {token_url: "
      "'http://127.0.0.1:9/', client_id: gate, client_secret: secret-1}}}}}\n"
      "routes: [{name: r, topics: [a], target: t, limits: []}]\n",
      "F", config::test_environment)));
  bench.run_until([&] {
    const auto standing = bench.shard.gate().standing(0, bench.shard.now());
    if (!standing || standing->waits != core::WaitsFor::hold) return false;
    const WaitingRecord record = described(bench.shard, *standing);
    if (record.unusable.empty()) return false;
    says = waits_in_words(record, bench.shard.config(), bench.shard.now());
    return true;
  });
  const std::string begins =
      "waits for target t, to which nothing can be delivered: no token from ";
  EXPECT_TRUE(says.starts_with(begins)) << says;
}

TEST(WhyLook, says_that_older_records_keep_a_partition_from_being_read) {
  auto config = config_with("algorithm: counter, limit: 1, window: 1h", "http://127.0.0.1:9/");
  config.routes[0].filter.resize(1);
  config.routes[0].filter[0].by.kind = config::KeySource::Kind::record_key;
  config.routes[0].filter[0].equals = "k";
  std::optional<WhyAnswer> answer;
  ShardBench<LongLedger> bench(config);
  bench.run_until([&] {
    const auto& partitions = bench.shard.gate().partitions();
    if (partitions.empty() || !partitions[0].held) return false;
    answer = beyond(bench.shard);
    return true;
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->where, core::Whereabouts::not_yet);
  EXPECT_TRUE(
      answer->not_read.starts_with("a is read no further, because 65536 records were read "
                                   "after its oldest unfinished one"))
      << answer->not_read;
}

// The gate holds it, as one that is full.
TEST(WhyLook, says_that_a_partition_is_leaving) {
  boost::asio::io_context io(1);
  const boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::address_v4::loopback(), 0});
  const std::string url = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  std::optional<WhyAnswer> answer;
  std::optional<ShardView> view;
  ShardBench<Revoked> bench(config_with("algorithm: counter, limit: 1, window: 1h", url));
  bench.run_until([&] {
    const core::Partition* partition = bench.shard.gate().partition(core::PartitionId{0});
    if (partition == nullptr || partition->phase != core::PartitionPhase::revoking) return false;
    answer = beyond(bench.shard);
    view = view_of(bench.shard);
    return true;
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->where, core::Whereabouts::not_yet);
  EXPECT_EQ(answer->not_read, "a is leaving this gate");
  EXPECT_TRUE(view->source.partitions[0].revoking);
  EXPECT_TRUE(view->waits.partitions[0].revoking);
  EXPECT_EQ(beyond(bench.shard).not_read, "a is leaving this gate") << "the gate is done with it";
}

// Its line is gone with all that it knew of keys, though the partition is here again.
TEST(WhyLook, passes_over_what_was_given_back_while_it_was_on_its_way) {
  boost::asio::io_context io(1);
  const boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::address_v4::loopback(), 0});
  const std::string url = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  std::optional<WhyAnswer> answer;
  ShardBench<Reassigned> bench(
      config_with("algorithm: counter, limit: 1, window: 1h, key: record_key", url));
  bench.run_until([&] {
    const core::Gate& gate = bench.shard.gate();
    const bool again = gate.stats(core::RouteId{0}).returned == 1 &&
                       gate.partitions()[0].phase == core::PartitionPhase::assigned;
    if (!again) return false;
    EXPECT_NE(gate.record(0), nullptr) << "it is still on its way";
    WhyQuestion question;
    question.key = "other";
    answer = WhyLook(question).go_on(bench.shard);
    return true;
  });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->with_key, 0u);
}

// Of all records of a shard, once so many were read: how many have the key.
template <class Source>
std::uint64_t with_key(const config::Config& config, std::uint64_t records,
                       const std::string& key) {
  std::optional<WhyAnswer> answer;
  ShardBench<Source> bench(config);
  bench.run_until([&] {
    if (bench.shard.gate().stats(core::RouteId{0}).received < records) return false;
    WhyQuestion question;
    question.key = key;
    WhyLook look(question);
    while (!answer) answer = look.go_on(bench.shard);
    return true;
  });
  return answer->with_key;
}

TEST(WhyLook, takes_a_limit_that_has_no_key_for_none_with_an_empty_one) {
  const auto config = std::get<config::Config>(config::parse_config(
      "limits: {all: {algorithm: counter, limit: 1, window: 1h}, each: {algorithm: counter, "
      "limit: 1, window: 1h, key: record_key}}\n"
      "targets: {t: {http: {url: 'http://127.0.0.1:9/'}}}\n"
      "routes: [{name: r, topics: [a], target: t, limits: [all, each], order: none, "
      "inside: {records: 20000}}]\n",
      "F", config::test_environment));
  EXPECT_EQ(with_key<List>(config, kRecords, ""), 0u);
}

TEST(WhyLook, finds_a_key_that_is_longer_than_a_buckets) {
  const auto config = config_with("algorithm: counter, limit: 1, window: 1h, key: 'header:tenant'",
                                  "http://127.0.0.1:9/");
  EXPECT_EQ(with_key<Long>(config, 1, Long::tenant()), 1u);
}

}  // namespace
}  // namespace einlass::app
