#include "adapters/metrics/page.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <string_view>

#include "adapters/metrics/full_snapshot.h"
#include "adapters/metrics/process.h"
#include "text/utf8.h"

namespace einlass::metrics::page_test {
namespace {

// One route, one limit, one store, one partition; everything else as it starts.
Snapshot fresh() {
  Snapshot snapshot;
  snapshot.version = "0.1.0";
  snapshot.librdkafka_version = "2.0.2";
  snapshot.routes = {{.name = "results",
                      .limits = {"callbacks"},
                      .stats = {},
                      .waiting = {},
                      .keyed = {},
                      .keys = {}}};
  snapshot.routes[0].stats.limits.resize(1);
  snapshot.stores = {{.name = "redis", .call_duration = {}}};
  snapshot.targets = {{.name = "billing", .breaker_open = true}, {.name = "audit"}};
  snapshot.topics = {{.name = "results"}};
  snapshot.partitions = {{.topic = "results", .number = {3}, .committed = Offset{0}, .lag = {}}};
  return snapshot;
}

bool has_line(const std::string& page, std::string_view line) {
  return ("\n" + page).find("\n" + std::string(line) + "\n") != std::string::npos;
}

// What promtool has to say of a page; empty if it is content.
std::string promtool(const std::string& page) {
  char path[] = "page_test_XXXXXX";
  const int file = mkstemp(path);
  EXPECT_EQ(write(file, page.data(), page.size()), static_cast<ssize_t>(page.size()));
  close(file);
  const std::string command = "promtool check metrics 2>&1 < " + std::string(path);
  FILE* output = popen(command.c_str(), "r");
  std::string said;
  for (int c = fgetc(output); c != EOF; c = fgetc(output)) said += static_cast<char>(c);
  const int status = pclose(output);
  unlink(path);
  return status == 0 ? said : said + " exit " + std::to_string(status);
}

TEST(Page, HasEveryMetricFromTheStartUnderItsNameAndKind) {
  const std::string page = render(fresh());
  const auto expect_family = [&](const std::string& name, const char* kind) {
    EXPECT_TRUE(has_line(page, "# TYPE " + name + " " + kind)) << name;
    EXPECT_NE(page.find("# HELP " + name + " "), std::string::npos) << name;
  };
  for (const char* name :
       {"einlass_records_received_total", "einlass_records_delivered_total",
        "einlass_records_dead_lettered_total", "einlass_records_returned_total",
        "einlass_records_filtered_total", "einlass_admissions_total", "einlass_rejections_total",
        "einlass_permits_released_total", "einlass_attempts_total", "einlass_limiter_calls_total",
        "einlass_offsets_skipped_total", "process_cpu_seconds_total"}) {
    expect_family(name, "counter");
  }
  for (const char* name :
       {"einlass_records_inside", "einlass_waiting_records", "einlass_partitions_held",
        "einlass_target_breaker_open", "einlass_committed_offset", "einlass_finished_ahead_records",
        "einlass_build_info", "einlass_config_last_reload_successful",
        "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"}) {
    expect_family(name, "gauge");
  }
  for (const char* name : {"einlass_admission_wait_seconds", "einlass_attempt_duration_seconds",
                           "einlass_limiter_call_duration_seconds"}) {
    expect_family(name, "histogram");
  }
}

TEST(Page, AddsUpShardsThatPatternsGaveOtherTopics) {
  Snapshot sum = fresh();
  sum.topics = {{"results", 1, 0, 0}, {"results.a", 2, 0, 0}};
  Snapshot other = fresh();
  other.topics = {{"results", 10, 0, 0}, {"results.b", 20, 0, 0}};
  add(sum, other);
  const std::string page = render(sum);
  const std::string name = "einlass_offsets_skipped_total";
  EXPECT_TRUE(has_line(page, name + R"({topic="results",reason="retention"} 11)"));
  EXPECT_TRUE(has_line(page, name + R"({topic="results.a",reason="retention"} 2)"));
  EXPECT_TRUE(has_line(page, name + R"({topic="results.b",reason="retention"} 20)"));
}

TEST(Page, NamesTheRouteWhoseLettersWaitAtAnyShard) {
  Snapshot sum = fresh();
  sum.routes.push_back(sum.routes[0]);
  sum.routes[1].name = "orders";
  Snapshot other = sum;
  other.routes[1].dead_letters_unusable = true;
  add(sum, other);
  const std::string page = render(sum);
  EXPECT_TRUE(has_line(page, R"(einlass_dead_letters_unusable{route="results"} 0)"));
  EXPECT_TRUE(has_line(page, R"(einlass_dead_letters_unusable{route="orders"} 1)"));
}

TEST(Page, HasEveryCombinationOfLabelsAtZero) {
  const std::string page = render(fresh());
  for (const char* series :
       {R"(einlass_records_received_total{route="results"})",
        R"(einlass_records_dead_lettered_total{route="results",reason="refused"})",
        R"(einlass_records_dead_lettered_total{route="results",reason="attempts"})",
        R"(einlass_records_dead_lettered_total{route="results",reason="never"})",
        R"(einlass_waiting_records{route="results",reason="limit"})",
        R"(einlass_waiting_records{route="results",reason="target"})",
        R"(einlass_waiting_records{route="results",reason="retry"})",
        R"(einlass_waiting_records{route="results",reason="order"})",
        R"(einlass_waiting_records{route="results",reason="outage"})",
        R"(einlass_waiting_records{route="results",reason="paused"})",
        R"(einlass_waiting_records{route="results",reason="in_flight"})",
        R"(einlass_admissions_total{route="results",limit="callbacks"})",
        R"(einlass_rejections_total{route="results",limit="callbacks"})",
        R"(einlass_permits_released_total{route="results",limit="callbacks"})",
        R"(einlass_attempts_total{route="results",outcome="accepted"})",
        R"(einlass_attempts_total{route="results",outcome="retry"})",
        R"(einlass_attempts_total{route="results",outcome="refused"})",
        R"(einlass_limiter_calls_total{store="redis",result="granted"})",
        R"(einlass_limiter_calls_total{store="redis",result="denied"})",
        R"(einlass_limiter_calls_total{store="redis",result="error"})",
        R"(einlass_limiter_calls_total{store="redis",result="timeout"})",
        R"(einlass_limiter_call_duration_seconds_count{store="redis"})",
        R"(einlass_admission_wait_seconds_bucket{route="results",le="+Inf"})",
        R"(einlass_partitions_held{route="results"})",
        R"(einlass_committed_offset{topic="results",partition="3"})",
        R"(einlass_target_breaker_open{target="audit"})",
        R"(einlass_dead_letters_unusable{route="results"})",
        R"(einlass_finished_ahead_records{topic="results",partition="3"})",
        R"(einlass_offsets_skipped_total{topic="results",reason="retention"})",
        R"(einlass_offsets_skipped_total{topic="results",reason="recreated"})",
        R"(einlass_partition_changes_total{change="assigned"})",
        R"(einlass_partition_changes_total{change="revoked"})",
        R"(einlass_partition_changes_total{change="lost"})",
        R"(einlass_commits_total{result="committed"})",
        R"(einlass_commits_total{result="failed"})",
        R"(einlass_commits_total{result="fenced"})",
        R"(einlass_never_records{route="results"})",
        R"(einlass_partitions_assigned{route="results"})",
        R"(einlass_oldest_unfinished_age_seconds{topic="results",partition="3"})",
        R"(einlass_target_held_seconds{target="audit"})",
        R"(einlass_target_in_flight{target="audit"})"}) {
    EXPECT_TRUE(has_line(page, std::string(series) + " 0")) << series;
  }
  EXPECT_TRUE(has_line(page, R"(einlass_build_info{version="0.1.0",librdkafka="2.0.2"} 1)"));
  EXPECT_TRUE(has_line(page, "einlass_config_last_reload_successful 1"));
  EXPECT_TRUE(has_line(page, R"(einlass_target_breaker_open{target="billing"} 1)"));
}

// Gives each number a value of its own, so that two that are mixed up show.
TEST(Page, PutsEachNumberWhereItBelongs) {
  Snapshot snapshot = fresh();
  core::RouteStats& stats = snapshot.routes[0].stats;
  stats.received = (std::uint64_t{1} << 32) + 101;
  stats.delivered = 102;
  stats.dead_lettered = {103, 104, 105};
  std::tie(stats.returned, stats.filtered) = std::tuple(106, 114);
  stats.inside = 107;
  stats.attempts_accepted = 108, stats.attempts_retry = 109, stats.attempts_refused = 110;
  stats.limits = {{.admissions = 111, .rejections = 112, .released = 113}};
  snapshot.routes[0].waiting.records = {{121, 122, 123, 124, 125, 126, 128}};
  snapshot.routes[0].waiting.behind = {{111, 112, 113, 114, 115, 0}};
  snapshot.routes[0].waiting.for_limit[0] = 120;
  snapshot.routes[0].waiting.lines = 50;
  snapshot.routes[0].waiting.lines_for_limit[0] = 2;
  snapshot.routes[0].keyed = {true};
  snapshot.routes[0].partitions_held = 127;
  snapshot.stores[0].granted = 131;
  snapshot.stores[0].denied = 132;
  snapshot.stores[0].errors = 133;
  snapshot.stores[0].timeouts = 134;
  snapshot.partitions[0].committed = Offset{9'007'199'254'740'991};
  snapshot.partitions[0].finished_ahead = 141;
  snapshot.topics[0].skipped_by_retention = 142;
  snapshot.topics[0].skipped_by_recreation = 143;
  snapshot.topics[0].skipped_by_reset = 144;
  snapshot.reloads = {false, 1.5, 3, 2, 1};
  const std::string page = render(snapshot);
  for (const char* line :
       {R"(einlass_records_received_total{route="results"} 4294967397)",
        R"(einlass_records_delivered_total{route="results"} 102)",
        R"(einlass_records_dead_lettered_total{route="results",reason="refused"} 103)",
        R"(einlass_records_dead_lettered_total{route="results",reason="attempts"} 104)",
        R"(einlass_records_dead_lettered_total{route="results",reason="never"} 105)",
        R"(einlass_records_returned_total{route="results"} 106)",
        R"(einlass_records_filtered_total{route="results"} 114)",
        R"(einlass_records_inside{route="results"} 107)",
        R"(einlass_attempts_total{route="results",outcome="accepted"} 108)",
        R"(einlass_attempts_total{route="results",outcome="retry"} 109)",
        R"(einlass_attempts_total{route="results",outcome="refused"} 110)",
        R"(einlass_admissions_total{route="results",limit="callbacks"} 111)",
        R"(einlass_rejections_total{route="results",limit="callbacks"} 112)",
        R"(einlass_permits_released_total{route="results",limit="callbacks"} 113)",
        R"(einlass_waiting_records{route="results",reason="limit"} 121)",
        R"(einlass_waiting_records{route="results",reason="target"} 122)",
        R"(einlass_waiting_records{route="results",reason="retry"} 123)",
        R"(einlass_waiting_records{route="results",reason="order"} 124)",
        R"(einlass_waiting_records{route="results",reason="outage"} 125)",
        R"(einlass_waiting_records{route="results",reason="paused"} 126)",
        R"(einlass_waiting_records{route="results",reason="in_flight"} 128)",
        R"(einlass_partitions_held{route="results"} 127)",
        R"(einlass_limiter_calls_total{store="redis",result="granted"} 131)",
        R"(einlass_limiter_calls_total{store="redis",result="denied"} 132)",
        R"(einlass_limiter_calls_total{store="redis",result="error"} 133)",
        R"(einlass_limiter_calls_total{store="redis",result="timeout"} 134)",
        R"(einlass_committed_offset{topic="results",partition="3"} 9007199254740991)",
        R"(einlass_finished_ahead_records{topic="results",partition="3"} 141)",
        R"(einlass_offsets_skipped_total{topic="results",reason="retention"} 142)",
        R"(einlass_offsets_skipped_total{topic="results",reason="recreated"} 143)",
        R"(einlass_offsets_skipped_total{topic="results",reason="reset"} 144)",
        "einlass_config_last_reload_successful 0",
        "einlass_config_last_reload_success_timestamp_seconds 1.5",
        R"(einlass_config_reloads_total{result="applied"} 3)",
        R"(einlass_config_reloads_total{result="wrong"} 2)",
        R"(einlass_config_reloads_total{result="needs_restart"} 1)"}) {
    EXPECT_TRUE(has_line(page, line)) << line;
  }
}

TEST(Page, CountsHistogramsUpwardsInSeconds) {
  Snapshot snapshot = fresh();
  core::Histogram& histogram = snapshot.routes[0].stats.attempt_duration;
  histogram.counts[0] = 1;                                // Up to 100 us.
  histogram.counts[1] = 2;                                // Up to 250 us.
  histogram.counts[core::Histogram::kWithinAnHour] = 1;   // Up to two hours.
  histogram.counts[core::Histogram::kBounds.size()] = 3;  // More than a week.
  histogram.sum_us = 14'400'000'600;
  const std::string page = render(snapshot);
  const std::string name = "einlass_attempt_duration_seconds";
  EXPECT_TRUE(has_line(page, name + R"(_bucket{route="results",le="0.0001"} 1)"));
  EXPECT_TRUE(has_line(page, name + R"(_bucket{route="results",le="0.00025"} 3)"));
  EXPECT_TRUE(has_line(page, name + R"(_bucket{route="results",le="3600"} 3)"));
  EXPECT_TRUE(has_line(page, name + R"(_bucket{route="results",le="+Inf"} 7)"));
  EXPECT_TRUE(has_line(page, name + R"(_count{route="results"} 7)"));
  EXPECT_TRUE(has_line(page, name + R"(_sum{route="results"} 14400.0006)"));
}

TEST(Page, LeavesOutWhatIsNotKnown) {
  Snapshot snapshot = fresh();
  snapshot.partitions[0].committed.reset();
  snapshot.limits = {{"by_bytes", "token_bucket", "redis", "none", false, {}, {}}};
  const std::string page = render(snapshot);
  EXPECT_EQ(page.find("einlass_committed_offset"), std::string::npos);
  EXPECT_EQ(page.find("einlass_lag_records"), std::string::npos);
  EXPECT_EQ(page.find("einlass_limit_allowed"), std::string::npos);
  EXPECT_NE(page.find("einlass_limit_info{limit=\"by_bytes\""), std::string::npos);
}

TEST(Page, HasEachSeriesOnce) {
  for (const Snapshot& snapshot : {fresh(), full_snapshot()}) {
    std::istringstream page(render(snapshot));
    std::set<std::string> seen;
    for (std::string line; std::getline(page, line);) {
      EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second || line[0] == '#') << line;
    }
  }
}

TEST(Page, PleasesPromtoolWhateverATopicIsCalled) {
  Snapshot snapshot = full_snapshot();
  snapshot.routes[0].name = "quo\"te\\back\nline";
  snapshot.topics[0].name = "bad\xff\xc3(\xed\xa0\x80 topic";
  snapshot.partitions[0].topic = snapshot.topics[0].name;
  snapshot.routes[0].keyed = {true};
  snapshot.routes[0].keys = {{"\xff\n\"", 1}};
  const std::string page = render(snapshot);
  EXPECT_NE(page.find("topic=\"bad\xEF\xBF\xBD\xEF\xBF\xBD("), std::string::npos);
  EXPECT_EQ(valid_utf8(page), page);
  EXPECT_EQ(promtool(page), "");
}

TEST(Utf8, KnowsWhatIsWellFormed) {
  for (const char* text :
       {"a", "\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(valid_utf8("\x80"), bad);                                // Follows nothing.
  EXPECT_EQ(valid_utf8("\xc3"), bad);                                // Cut off.
  EXPECT_EQ(valid_utf8("\xc0\xaf"), bad + bad);                      // Overlong.
  EXPECT_EQ(valid_utf8("\xe0\x80\xaf"), bad + bad + bad);            // Overlong.
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), bad + bad + bad);            // A surrogate.
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // Beyond U+10FFFF.
  EXPECT_EQ(valid_utf8("\xf5z"), bad + "z");
  EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

TEST(ReadProcess, AgreesWithWhatIsKnownHere) {
  const std::optional<Process> process = read_process();
  ASSERT_TRUE(process.has_value());
  EXPECT_GT(process->resident_bytes, 1'000'000u);
  EXPECT_GT(process->virtual_bytes, process->resident_bytes);
  EXPECT_GE(process->open_files, 3u);
  EXPECT_GE(process->max_files, process->open_files);
  EXPECT_GE(process->max_virtual_bytes, process->virtual_bytes);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LT(std::abs(now - process->start_time), 120.0);
  const int file = dup(1);
  EXPECT_EQ(read_process()->open_files, process->open_files + 1);
  close(file);
}

}  // namespace
}  // namespace einlass::metrics::page_test
