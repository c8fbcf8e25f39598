#include "adapters/log/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace einlass::log {
namespace {

constexpr Instant kStart{1'795'244'400'123'456};  // 2026-11-21T07:00:00.123456Z

// A pipe of which the test reads what the log wrote.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(pipe(ends_), 0);
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int in() const { return ends_[1]; }

  std::vector<std::string> lines() {
    std::string text(1 << 20, '\0');
    const ssize_t size = read(ends_[0], text.data(), text.size());
    std::vector<std::string> lines;
    std::size_t from = 0;
    for (std::size_t end = 0; size > 0 && from < static_cast<std::size_t>(size); from = end + 1) {
      end = text.find('\n', from);
      lines.push_back(text.substr(from, end - from));
    }
    return lines;
  }

 private:
  int ends_[2] = {-1, -1};
};

class LogTest : public ::testing::Test {
 protected:
  std::string only_line() {
    const std::vector<std::string> lines = pipe_.lines();
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? "" : lines.front();
  }

  Pipe pipe_;
  Log log_{Severity::info, Format::logfmt, "gate-1", pipe_.in()};
};

TEST_F(LogTest, WritesOneLineOfKeysAndValues) {
  log_.write(Severity::warning, "kafka_unknown_topic", "topic results is not there", kStart,
             {{"topic", "results"}, {"after", "2 s"}});
  EXPECT_EQ(only_line(),
            "2026-11-21T07:00:00.123Z level=warning event=kafka_unknown_topic "
            "detail=\"topic results is not there\" instance=gate-1 topic=results after=\"2 s\"");
}

TEST_F(LogTest, WritesTheSameAsJson) {
  log_.set(Severity::info, Format::json);
  log_.write(Severity::warning, "kafka_unknown_topic", "topic \"a\\b\" is\nnot\x01 there", kStart,
             {{"topic", "results"}});
  EXPECT_EQ(
      only_line(),
      R"({"time":"2026-11-21T07:00:00.123Z","level":"warning","event":"kafka_unknown_topic",)"
      R"("detail":"topic \"a\\b\" is\nnot\u0001 there","instance":"gate-1","topic":"results"})");
}

TEST_F(LogTest, CountsInJsonToo) {
  log_.set(Severity::info, Format::json);
  for (int i = 0; i < 5; ++i) log_.write(Severity::info, "a", "x", kStart);
  log_.tick(kStart + Log::kQuiet);
  const auto lines = pipe_.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[1].ends_with(R"("instance":"gate-1","repeated":4})")) << lines[1];
}

TEST_F(LogTest, LosesNoCountWhenTheFormatChanges) {
  for (int i = 0; i < 3; ++i) log_.write(Severity::info, "a", "x", kStart);
  log_.set(Severity::info, Format::json);
  log_.write(Severity::info, "a", "x", kStart);
  const auto lines = pipe_.lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[1].ends_with("instance=gate-1 repeated=2")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(R"("instance":"gate-1"})")) << lines[2];
}

TEST_F(LogTest, NamesEverySeverity) {
  log_.write(Severity::info, "a", "x", kStart);
  log_.write(Severity::error, "b", "x", kStart);
  const auto lines = pipe_.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(" level=info "), std::string::npos);
  EXPECT_NE(lines[1].find(" level=error "), std::string::npos);
}

TEST_F(LogTest, WritesDebugOnlyForWhoeverAsksForIt) {
  log_.write(Severity::debug, "a", "x", kStart);
  EXPECT_TRUE(pipe_.lines().empty());
  log_.set(Severity::debug, Format::logfmt);
  log_.write(Severity::debug, "a", "x", kStart);
  EXPECT_NE(only_line().find(" level=debug event=a "), std::string::npos);
}

TEST_F(LogTest, SaysHowManyLinesAtDebugWereLeftOutAndLeavesOutNoOther) {
  log_.set(Severity::debug, Format::logfmt);
  constexpr std::size_t kMore = 900;
  for (std::size_t i = 0; i < Log::kDebugLines + kMore; ++i) {
    log_.write(Severity::debug, "step", std::to_string(i), kStart);
  }
  log_.write(Severity::info, "also", "x", kStart);
  const auto lines = pipe_.lines();
  ASSERT_EQ(lines.size(), Log::kDebugLines + 1);
  EXPECT_NE(lines.back().find("event=also"), std::string::npos);
  EXPECT_EQ(log_.next_tick(), kStart + Log::kQuiet);
  log_.tick(kStart + Log::kQuiet);
  EXPECT_NE(only_line().find("level=debug event=log_lines_left_out detail=\"900 lines at debug"),
            std::string::npos);
  log_.write(Severity::debug, "step", "another", kStart + Log::kQuiet);
  EXPECT_NE(only_line().find("detail=another"), std::string::npos);
  EXPECT_EQ(log_.next_tick(), kStart + Log::kQuiet * 2);
}

TEST_F(LogTest, StaysOneLineOfValidUtf8WhateverComes) {
  log_.write(Severity::info, "odd", "a\nlevel=error \"b\" \\ \t\x1b[31m \xff\xc3 \xc2\x9b \xc3\xa9",
             kStart);
  EXPECT_NE(only_line().find("detail=\"a\\nlevel=error \\\"b\\\" \\\\ \\t\\u001b[31m "
                             "\xEF\xBF\xBD\xEF\xBF\xBD \\u009b \xc3\xa9\" instance"),
            std::string::npos);
}

TEST_F(LogTest, QuotesAnEmptyValue) {
  log_.write(Severity::info, "empty", "", kStart);
  EXPECT_NE(only_line().find("detail=\"\" "), std::string::npos);
}

TEST_F(LogTest, KeepsALineBelowWhatAPipeTakesAtOnce) {
  const std::string longish(100'000, '\x01');
  log_.write(Severity::info, longish, longish, kStart,
             {{"a", longish}, {"b", longish}, {"c", longish}, {"d", longish}});
  const std::string line = only_line();
  EXPECT_LT(line.size(), 4096u);
  EXPECT_NE(line.find("...\""), std::string::npos);
  EXPECT_NE(line.find(" instance=gate-1"), std::string::npos);
}

TEST_F(LogTest, DoesNotWriteBelowItsLevel) {
  Log quiet{Severity::warning, Format::logfmt, "gate-1", pipe_.in()};
  quiet.write(Severity::info, "a", "x", kStart);
  EXPECT_TRUE(pipe_.lines().empty());
  quiet.write(Severity::warning, "a", "x", kStart);
  EXPECT_EQ(pipe_.lines().size(), 1u);
}

TEST_F(LogTest, CountsWhatRepeatsAndTellsWhenTheSecondIsOver) {
  for (int i = 0; i < 18; ++i) {
    log_.write(Severity::error, "redis_down", "refused", kStart + Duration::millis(10 * i));
  }
  EXPECT_EQ(only_line().find("repeated"), std::string::npos);
  EXPECT_EQ(log_.next_tick(), kStart + Duration::seconds(1));
  log_.tick(kStart + Duration::millis(999));
  EXPECT_TRUE(pipe_.lines().empty());
  log_.tick(kStart + Duration::seconds(1));
  const std::string line = only_line();
  EXPECT_NE(line.find("07:00:01.123Z level=error event=redis_down detail=refused"),
            std::string::npos);
  EXPECT_NE(line.find(" repeated=17"), std::string::npos);
}

TEST_F(LogTest, CountsTogetherWhatHasAnotherExampleEachTimeAndNamesTheFirst) {
  for (int i = 0; i < 18; ++i) {
    log_.write(
        {Severity::warning, "odd_record", "a record is odd", "orders-0@" + std::to_string(i)},
        kStart);
  }
  EXPECT_NE(only_line().find(" instance=gate-1 example=orders-0@0"), std::string::npos);
  log_.tick(kStart + Duration::seconds(1));
  EXPECT_NE(only_line().find(" example=orders-0@0 repeated=17"), std::string::npos);
}

TEST_F(LogTest, SaysNothingMoreOfWhatDidNotRepeat) {
  log_.write(Severity::info, "once", "x", kStart);
  EXPECT_EQ(pipe_.lines().size(), 1u);
  log_.tick(kStart + Duration::seconds(1));
  EXPECT_TRUE(pipe_.lines().empty());
  EXPECT_EQ(log_.next_tick(), kNever);
  log_.write(Severity::info, "once", "x", kStart + Duration::seconds(1));
  EXPECT_EQ(only_line().find("repeated"), std::string::npos);
}

TEST_F(LogTest, WritesAtMostOneLineASecondWhileItGoesOn) {
  std::size_t lines = 0;
  for (int ms = 0; ms < 10'000; ms += 5) {
    const Instant now = kStart + Duration::millis(ms);
    log_.write(Severity::error, "redis_down", "refused", now);
    log_.tick(now);
    lines += pipe_.lines().size();
  }
  EXPECT_EQ(lines, 10u);
}

TEST_F(LogTest, TellsTheCountWithoutATickToo) {
  log_.write(Severity::error, "e", "x", kStart);
  log_.write(Severity::error, "e", "x", kStart + Duration::millis(1));
  log_.write(Severity::error, "e", "x", kStart + Duration::seconds(2));
  const auto lines = pipe_.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find(" repeated=2"), std::string::npos);
}

TEST_F(LogTest, DoesNotMixDifferentDetails) {
  log_.write(Severity::error, "e", "x", kStart);
  log_.write(Severity::error, "e", "y", kStart);
  log_.write(Severity::error, "f", "x", kStart);
  EXPECT_EQ(pipe_.lines().size(), 3u);
}

TEST(LogMemory, IsWrittenForWhoLeavesWithoutItsEnd) {
  Pipe pipe;
  Log log{Severity::info, Format::logfmt, "gate-1", pipe.in()};
  for (int i = 0; i < 5; ++i) log.write(Severity::info, "e", "x", kStart);
  EXPECT_EQ(pipe.lines().size(), 1u);
  log.flush();
  const auto lines = pipe.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with(" repeated=4")) << lines[0];
  log.flush();
  EXPECT_TRUE(pipe.lines().empty());
}

TEST(LogMemory, LosesNoCountWhenMoreIsDifferentThanItHolds) {
  Pipe pipe;
  std::size_t events = 0;
  std::size_t told = 0;
  const auto count = [&] {
    for (const std::string& line : pipe.lines()) {
      const std::size_t at = line.find(" repeated=");
      told += at == std::string::npos ? 1 : std::stoul(line.substr(at + 10));
    }
  };
  {
    Log log{Severity::info, Format::logfmt, "gate-1", pipe.in()};
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < 2 * Log::kDistinct; ++i) {
        for (int twice = 0; twice < 2; ++twice, ++events) {
          log.write(Severity::info, "e", std::to_string(i), kStart);
        }
        count();
      }
    }
  }
  count();
  EXPECT_EQ(told, events);
}

TEST(LogWriting, DoesNotWaitForAFullPipeAndSaysSoLater) {
  Pipe pipe;
  Log log{Severity::info, Format::logfmt, "gate-1", pipe.in()};
  const std::string detail(1000, 'x');
  constexpr int kEvents = 2000;  // 2 MB: far more than a pipe holds.
  for (int i = 0; i < kEvents; ++i) {
    log.write(Severity::info, "flood", detail + std::to_string(i), kStart);
  }
  const std::size_t written = pipe.lines().size();
  EXPECT_LT(written, 200u);
  log.write(Severity::info, "after", "x", kStart);
  const auto lines = pipe.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("event=log_lines_dropped detail=\"" +
                          std::to_string(kEvents - static_cast<int>(written)) + " lines"),
            std::string::npos);
}

TEST(LogWriting, KnowsWhatItDroppedWhenADiskThatWasFullHasRoomAgain) {
  Pipe pipe;
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    Log log{Severity::info, Format::logfmt, "gate-1", full};
    for (int i = 0; i < 10; ++i) log.write(Severity::info, "e", std::to_string(i), kStart);
    ASSERT_EQ(dup2(pipe.in(), full), full);
    log.write(Severity::info, "after", "x", kStart);
  }
  close(full);
  const auto lines = pipe.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("event=log_lines_dropped detail=\"10 lines"), std::string::npos)
      << lines[0];
}

TEST(LogWriting, SaysWhatItDroppedAlsoWhereOnlyErrorsAreWanted) {
  Pipe pipe;
  Log log{Severity::error, Format::logfmt, "gate-1", pipe.in()};
  const std::string detail(1000, 'x');
  for (int i = 0; i < 2000; ++i) {
    log.write(Severity::error, "flood", detail + std::to_string(i), kStart);
  }
  pipe.lines();
  log.write(Severity::error, "after", "x", kStart);
  const auto lines = pipe.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("event=log_lines_dropped"), std::string::npos);
}

}  // namespace
}  // namespace einlass::log
