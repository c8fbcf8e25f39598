// However many partitions and keys there are, the page stays bounded; and shards add up to one.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/metrics/full_snapshot.h"
#include "adapters/metrics/page.h"

namespace einlass::metrics {
namespace {

std::size_t count(const std::string& page, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) {
    ++found;
  }
  return found;
}

bool has_line(const std::string& page, const std::string& line) {
  return page.find("\n" + line + "\n") != std::string::npos;
}

TEST(Bounds, PartitionsBeyondTheFirstThousandAreOther) {
  Snapshot snapshot = full_snapshot();
  snapshot.partitions.clear();
  for (int i = 0; i < 1003; ++i) {
    snapshot.partitions.push_back({.topic = "results",
                                   .number = {i},
                                   .committed = Offset{1},
                                   .finished_ahead = 2,
                                   .lag = 5,
                                   .oldest_seconds = static_cast<double>(i),
                                   .lag_seconds = 2.0 * i,
                                   .log_start = Offset{0}});
  }
  const std::string page = render(snapshot);
  EXPECT_EQ(count(page, "\neinlass_committed_offset{"), 1000u);
  EXPECT_EQ(count(page, "\neinlass_lag_records{"), 1001u);
  EXPECT_TRUE(has_line(page, R"(einlass_lag_records{topic="results",partition="999"} 5)"));
  EXPECT_TRUE(has_line(page, R"(einlass_lag_records{topic="other",partition="other"} 15)"));
  EXPECT_TRUE(
      has_line(page, R"(einlass_finished_ahead_records{topic="other",partition="other"} 6)"));
  EXPECT_TRUE(has_line(page, R"(einlass_lag_seconds{topic="other",partition="other"} 2004)"));
  EXPECT_EQ(count(page, "\neinlass_log_start_offset{"), 1000u) << "of many it means nothing";
  EXPECT_TRUE(has_line(
      page, R"(einlass_oldest_unfinished_age_seconds{topic="other",partition="other"} 1002)"));
}

// Of each three records were gone before they were read.
void add_topics(Snapshot& snapshot, int count) {
  for (int i = 0; i < count; ++i) {
    snapshot.topics.push_back({.name = "t-" + std::to_string(i), .skipped_by_retention = 3});
  }
}

TEST(Bounds, TopicsBeyondTheFirstThousandAreOther) {
  Snapshot snapshot = full_snapshot();
  snapshot.topics.clear();
  add_topics(snapshot, 1002);
  const std::string page = render(snapshot);
  EXPECT_EQ(count(page, "\neinlass_offsets_skipped_total{"), 3003u);
  EXPECT_TRUE(
      has_line(page, R"(einlass_offsets_skipped_total{topic="other",reason="retention"} 6)"));
}

TEST(Bounds, ATopicThatIsCalledOtherCountsWithTheRest) {
  Snapshot snapshot = full_snapshot();
  snapshot.topics = {{.name = "other", .skipped_by_retention = 5}};
  EXPECT_TRUE(has_line(render(snapshot),
                       R"(einlass_offsets_skipped_total{topic="other",reason="retention"} 5)"));
  add_topics(snapshot, 1001);
  const std::string page = render(snapshot);
  EXPECT_EQ(count(page, "\neinlass_offsets_skipped_total{"), 3000u);
  EXPECT_TRUE(
      has_line(page, R"(einlass_offsets_skipped_total{topic="other",reason="retention"} 11)"));
}

// Prometheus drops one of two series with the same labels, and raises an alert.
TEST(Bounds, NoTwoKeysLookTheSameNorAsTheRestDoes) {
  Snapshot snapshot = full_snapshot();
  snapshot.routes[0].keys = {{"other", 9},  {"\\x6Fther", 8},    {"others", 7},
                             {"\xFF", 6},   {"\xFE", 5},         {"\\xFF", 4},
                             {"\\\xFF", 3}, {"\xEF\xBF\xBD", 2}, {"a\\b\\", 1}};
  snapshot.routes[0].other_keys = 10;
  const std::string page = render(snapshot);
  EXPECT_EQ(count(page, "\neinlass_waiting_key_records{"), 10u);
  // The page writes each backslash twice.
  const std::pair<const char*, int> expected[] = {
      {R"(\\x6Fther)", 9}, {R"(\\x5Cx6Fther)", 8}, {"others", 7},     {R"(\\xFF)", 6},
      {R"(\\xFE)", 5},     {R"(\\x5CxFF)", 4},     {R"(\\\\xFF)", 3}, {"\xEF\xBF\xBD", 2},
      {R"(a\\b\\)", 1},    {"other", 10}};
  for (const auto& [key, records] : expected) {
    EXPECT_TRUE(has_line(page, "einlass_waiting_key_records{route=\"results\",key=\"" +
                                   std::string(key) + "\"} " + std::to_string(records)))
        << key;
  }
}

TEST(Bounds, OfTheKeysOfTwoShardsTheTenWithMostAreNamed) {
  Snapshot one = full_snapshot();
  Snapshot two = full_snapshot();
  one.routes[0].keys = {};
  two.routes[0].keys = {{"both", 100}};
  for (std::uint64_t i = 0; i < 10; ++i) {
    one.routes[0].keys.push_back({"one-" + std::to_string(i), 30 - i});
    if (i < 9) two.routes[0].keys.push_back({"two-" + std::to_string(i), 40 - i});
  }
  one.routes[0].keys.back() = {"both", 21};
  one.routes[0].other_keys = 3;
  two.routes[0].other_keys = 4;
  add(one, two);
  const std::string page = render(one);
  EXPECT_EQ(count(page, "\neinlass_waiting_key_records{"), 11u);
  EXPECT_TRUE(has_line(page, R"(einlass_waiting_key_records{route="results",key="both"} 121)"));
  EXPECT_TRUE(has_line(page, R"(einlass_waiting_key_records{route="results",key="two-8"} 32)"));
  // What both shards left out, and all nine of the first: 30 + 29 + ... + 22.
  EXPECT_TRUE(has_line(page, R"(einlass_waiting_key_records{route="results",key="other"} 241)"));
}

TEST(Bounds, ARouteWithoutKeysHasNone) {
  Snapshot snapshot = full_snapshot();
  snapshot.routes[0].keyed = {false};
  snapshot.routes[0].keys.clear();
  EXPECT_EQ(render(snapshot).find("einlass_waiting_key_records"), std::string::npos);
}

TEST(Shards, TheWorstStateCountsForAll) {
  Snapshot one = full_snapshot();
  Snapshot two = full_snapshot();
  one.targets[0].held_seconds = 1;
  two.targets[0] = {.name = "billing",
                    .breaker_open = true,
                    .held_seconds = 2.5,
                    .in_flight = 3,
                    .connections = 4,
                    .unusable = true};
  two.consumer = {.joined = false, .brokers_down = true, .assigned = 5, .lost = 1, .commits = 9};
  two.stores[0].up = false;
  two.loops[0].shard = 1;
  add(one, two);
  const std::string page = render(one);
  for (const char* line :
       {R"(einlass_target_breaker_open{target="billing"} 1)",
        R"(einlass_target_held_seconds{target="billing"} 2.5)",
        R"(einlass_target_unusable{target="billing"} 1)",
        R"(einlass_target_in_flight{target="billing"} 3)",
        R"(einlass_target_connections{target="billing"} 4)", "einlass_kafka_joined 0",
        "einlass_kafka_brokers_down 1", R"(einlass_partition_changes_total{change="assigned"} 5)",
        R"(einlass_partition_changes_total{change="lost"} 1)",
        R"(einlass_commits_total{result="committed"} 9)", R"(einlass_store_up{store="redis"} 0)",
        R"(einlass_store_connections{store="redis",state="up"} 4)",
        R"(einlass_store_connections{store="redis",state="down"} 2)",
        R"(einlass_loop_busy_seconds_total{shard="0"} 1.5)",
        R"(einlass_loop_busy_seconds_total{shard="1"} 1.5)"}) {
    EXPECT_TRUE(has_line(page, line)) << line;
  }
}

}  // namespace
}  // namespace einlass::metrics
