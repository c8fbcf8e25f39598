// What a shard is told between two turns.
#include "app/shard/shard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/shard/troubles.h"
#include "unit/app/shard/shard_bench.h"
#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

constexpr int kKeys = 2'000;

// Reads nothing, and keeps what it is told.
class Told final : public ShardSource {
 public:
  Told(core::Events& events, kafka::MessageSink&) : ShardSource(events) {}
  void poll(Instant, int) override {}
  bool has_more() const override { return false; }
  void set_dead_letters(std::vector<std::string> topics) override { told = std::move(topics); }

  std::vector<std::string> told;
};

// As many records of one partition, each with a key of its own.
class Keys final : public ListSource {
 public:
  Keys(core::Events& events, kafka::MessageSink& sink) : ListSource(events, sink, 1, kKeys) {}

 private:
  std::string key_of(std::int64_t record) const override { return std::to_string(record); }
};

// One record, whose partition leaves when it is told to.
class Leaving final : public ListSource {
 public:
  Leaving(core::Events& events, kafka::MessageSink& sink) : ListSource(events, sink, 1, 1) {}
  void poll(Instant now, int budget) override {
    ListSource::poll(now, budget);
    if (!std::exchange(leaves, false)) return;
    events_.push_back(core::PartitionRevoked{core::PartitionId{0}, now});
  }

  static inline bool leaves = false;

 private:
  std::string key_of(std::int64_t) const override { return "k"; }
};

// Its record was elsewhere before, as one that a redrive reads.
class MovedRecord final : public OneRecord {
 public:
  using OneRecord::OneRecord;

 private:
  void hand_on(kafka::Message& message) override {
    message.offset = Offset{17};
    message.moved = true;
    sink_.take(message);
  }
};

// A record of 100 KB.
class LargeRecord final : public OneRecord {
 public:
  using OneRecord::OneRecord;

 private:
  void hand_on(kafka::Message& message) override {
    const std::string value(100'000, 'x');
    message.value = value;
    sink_.take(message);
  }
};

// Records of two tenants: one of so many is of the small one.
template <std::int64_t kOf>
class Tenants final : public ListSource {
 public:
  Tenants(core::Events& events, kafka::MessageSink& sink) : ListSource(events, sink, 1, 100) {}

 private:
  std::string key_of(std::int64_t record) const override {
    return record % kOf == 0 ? "small" : "large";
  }
};

// How often it is said that one flow fills the partition.
template <class Source>
std::ptrdiff_t hints() {
  ShardBench<Source> bench(std::get<config::Config>(config::parse_config(
      "shares: {s: {by: record_key}}\ntargets: {t: {http: {url: 'http://127.0.0.1:9/'}}}\n"
      "routes: [{name: r, topics: [a], target: t, order: none, share: s, inside: {records: 20}}]\n",
      "F", config::test_environment)));
  bench.run_until([&] {
    const core::Partition* const partition = bench.shard.gate().partition(core::PartitionId{0});
    return partition != nullptr && partition->held;
  });
  const auto said =
      std::ranges::count(bench.told, std::string("partition_held_by_flow"), &Notice::what);
  EXPECT_EQ(bench.shard.counts().filled_by_flow, static_cast<std::uint64_t>(said));
  return said;
}

config::Config config_with(const std::string& more) {
  return std::get<config::Config>(config::parse_config(
      "limits: {l: {algorithm: counter, limit: 1, window: 1h, key: record_key" + more +
          "}}\ntargets: {t: {http: {url: 'http://127.0.0.1:9/'}}}\n"
          "routes: [{name: r, topics: [a], target: t, limits: [l], order: none, "
          "inside: {records: 20000}}]\n",
      "F", config::test_environment));
}

// What it counts as, of 100 KiB that may be inside; 0 where the last of these routes leaves it out.
std::int64_t large_record_counts_under(const std::string& routes) {
  ShardBench<LargeRecord> bench(std::get<config::Config>(
      config::parse_config("inside: {bytes: 100KiB}\n"
                           "limits: {l: {algorithm: counter, limit: 1, window: 1h, store: memory, "
                           "key: 'json:/tenant'}}\n"
                           "targets: {t: {http: {url: 'http://127.0.0.1:9/'}}}\nroutes:\n" +
                               routes,
                           "F", config::test_environment)));
  std::int64_t counts = -1;
  bool is_left_out = false;
  bench.run_until([&] {
    core::RouteStats sum{};
    for (std::uint16_t route = 0; route < 2; ++route) {
      if (route >= bench.shard.config().routes.size()) continue;
      sum.received += bench.shard.gate().stats(core::RouteId{route}).received;
      sum.filtered += bench.shard.gate().stats(core::RouteId{route}).filtered;
    }
    if (sum.received == 0) return false;
    counts = bench.shard.gate().partition(core::PartitionId{0})->bytes.value;
    is_left_out = sum.filtered == 1;
    return true;
  });
  EXPECT_EQ(is_left_out, counts == 0);
  return counts;
}

std::int64_t large_record_counts(const std::string& more) {
  return large_record_counts_under(
      "  - {name: r, topics: [a], target: t, limits: [l], "
      "filter: [{by: 'json:/x', equals: y}], dead_letter: d" +
      more + "}\n");
}

TEST(Shard, a_record_that_is_too_large_is_a_dead_letter_whatever_is_in_it) {
  EXPECT_EQ(large_record_counts(""), 0);
  EXPECT_EQ(large_record_counts(", largest_record: 99KiB"), 0);
  EXPECT_EQ(large_record_counts(", largest_record: 50KiB"), 25 * 1024);
  EXPECT_EQ(large_record_counts(", largest_record: 50KiB, inside: {bytes: 10KiB}"), 10 * 1024);
}

TEST(Shard, a_record_that_is_too_large_for_the_route_that_it_is_left_to_is_its_dead_letter) {
  const std::string left =
      "  - {name: r, topics: [a], target: t, filter: [{by: 'header:h', equals: y}], else: s}\n"
      "  - {name: s, topics: [], target: t, filter: [{by: 'json:/x', equals: y}], dead_letter: d";
  EXPECT_EQ(large_record_counts_under(left + "}\n"), 0);
  EXPECT_EQ(large_record_counts_under(left + ", largest_record: 50KiB}\n"), 25 * 1024);
}

// What is too large counts as little as long as it is not much.
TEST(Uncounted, all_but_the_first_count_in_full_beyond_the_most) {
  Uncounted uncounted;
  const auto count = [&](std::uint32_t slot, std::int64_t size) {
    return uncounted.count({slot, 0}, Bytes{size}, Bytes{10}, Bytes{100}).value;
  };
  EXPECT_EQ(count(1, 9), 9);
  EXPECT_EQ(count(2, 500), 10);
  EXPECT_EQ(count(3, 50), 50);
  uncounted.forget({2, 0});
  uncounted.forget({3, 0});
  EXPECT_EQ(count(4, 70), 10);
  EXPECT_EQ(count(5, 50), 10);
  EXPECT_EQ(count(6, 11), 11);
  uncounted.forget({5, 0});
  EXPECT_EQ(count(7, 50), 10);
}

// However long ago the last turn was.
TEST(Shard, begins_to_drain_when_it_is_told_to) {
  ShardBench<Keys> bench(config_with(""));
  Instant told{};
  bench.run_until([&] {
    if (bench.shard.gate().partition(core::PartitionId{0}) == nullptr) return false;
    const Instant turned = bench.shard.now();
    while (told <= turned) told = bench.clock.now();
    return true;
  });
  EXPECT_GE(bench.shard.gate().partitions()[0].deadline, told);
}

// What a record says of its time may be of any year: where it is the next that the gate waits for,
// the timer would go off at once, again and again.
TEST(Shard, waits_for_the_year_9999_as_for_any_other_instant) {
  constexpr Instant kLastOf9999{253'402'300'799'000'000};
  const Clock clock;
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(clock.steady(kLastOf9999) > now);
  EXPECT_TRUE(clock.steady(kNever) > now);
  EXPECT_TRUE(clock.steady(clock.now() + Duration::seconds(60)) > now);
  EXPECT_TRUE(clock.steady(clock.now() + Duration::seconds(60)) <= now + std::chrono::seconds(61));
}

// The walk over lines with other numbers goes on in the turns behind a reload, some lines in each.
TEST(Shard, does_not_look_at_all_lines_in_a_reload) {
  ShardBench<Keys> bench(config_with(""));
  const auto changed =
      std::make_shared<const config::Config>(config_with(", overrides: {'*': {limit: 2}}"));
  bench.run_until([&] {
    if (bench.shard.gate().stats(core::RouteId{0}).received < kKeys) return false;
    EXPECT_GE(bench.shard.limiters().lines(), static_cast<std::size_t>(kKeys));
    bench.limits.change(*changed);
    bench.shard.reconfigure(changed, bench.shard.make_targets(bench.configured, *changed));
    EXPECT_TRUE(bench.shard.limiters().has_more());
    return true;
  });
}

// Nothing listens there.
config::Config with_breaker() {
  return std::get<config::Config>(config::parse_config(
      "targets: {t: {http: {url: 'http://127.0.0.1:9/'}, breaker: {failures: 1}}}\n" +
          config::kRoutes,
      "F", config::test_environment));
}

// Whether what is said of the target is bad; none where nothing is.
std::optional<bool> is_bad(const Shard& shard) {
  for (const Trouble& one : troubles_now(shard)) {
    if (one.what == "target") return one.bad;
  }
  return std::nullopt;
}

// Nobody finds out how the target is by now: it is said, but is no reason to wake anybody.
TEST(Shard, an_open_breaker_that_no_record_tries_is_nothing_bad) {
  ShardBench<Leaving> bench(with_breaker());
  std::vector<bool> bad;  // Without what is the same as before.
  bench.run_until([&] {
    if (bench.shard.gate().breaker(core::TargetId{0}).closed()) return false;
    const auto now = is_bad(bench.shard);
    if (!now) return false;
    if (bad.empty() || bad.back() != *now) bad.push_back(*now);
    if (bad.size() == 1) Leaving::leaves = bench.shard.gate().stats(core::RouteId{0}).inside > 0;
    return bench.shard.gate().stats(core::RouteId{0}).inside == 0;
  });
  EXPECT_EQ(bad, (std::vector<bool>{true, false}));
}

// Whoever has paused it knows, and until it is resumed nobody tries the target.
TEST(Shard, nor_is_one_that_only_paused_records_would_try) {
  ShardBench<Leaving> bench(with_breaker());
  std::optional<bool> before, after;
  bench.run_until([&] {
    if (bench.shard.gate().breaker(core::TargetId{0}).closed()) return false;
    before = is_bad(bench.shard);
    Pauses pauses;
    pauses.routes = {false};
    pauses.targets = {true};
    bench.shard.pause(std::make_shared<const Pauses>(std::move(pauses)));
    after = is_bad(bench.shard);
    return true;
  });
  EXPECT_EQ(before, true);
  EXPECT_EQ(after, false);
}

TEST(Shard, says_that_one_flow_of_a_share_fills_a_partition) {
  EXPECT_EQ(hints<Tenants<20>>(), 1);
  EXPECT_EQ(hints<Tenants<2>>(), 0);
}

// Else a request would name more of them than its head has room for.
TEST(Shard, tells_the_gate_of_what_was_moved_that_its_name_stands_apart) {
  ShardBench<MovedRecord> bench(std::get<config::Config>(config::parse_config(
      "targets: {t: {http: {url: 'http://127.0.0.1:9/', batch: {records: 2}}}}\n" + config::kRoutes,
      "F", config::test_environment)));
  bench.run_until([&] {
    if (bench.shard.gate().stats(core::RouteId{0}).received == 0) return false;
    const core::Record* const record = bench.shard.gate().record(0);
    EXPECT_TRUE(record != nullptr && record->named_apart);
    return true;
  });
}

// What is not there is said before it is needed.
TEST(Shard, has_the_dead_letter_topics_of_a_reload_looked_for) {
  config::Config config = config_with("");
  config.routes[0].dead_letter = "before";
  ShardBench<Told> bench(config);
  config.routes[0].dead_letter = "dead";
  const auto changed = std::make_shared<const config::Config>(std::move(config));
  bench.shard.reconfigure(changed, bench.shard.make_targets(bench.configured, *changed));
  EXPECT_EQ(dynamic_cast<const Told&>(bench.shard.source()).told, std::vector<std::string>{"dead"});
}

}  // namespace
}  // namespace einlass::app
