// What a request with several records is made of.
#include "app/targets/batch_request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "core/admission/batch.h"
#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

using Format = config::BatchFormat;

struct Written {
  explicit Written(Format format) : batch(format) {}

  void add(std::int32_t partition, std::int64_t offset, std::optional<std::string> value,
           std::string topic = "results") {
    fill(partition, offset, std::move(value), std::move(topic));
    add_filled();
  }

  void fill(std::int32_t partition, std::int64_t offset, std::optional<std::string> value,
            std::string topic) {
    kafka::Message message;
    message.topic = topic;
    message.number = PartitionNumber{partition};
    message.offset = Offset{offset};
    if (value) message.value = *value;
    stored.emplace(message, JsonNeeds{.pointers = {}, .in_lists = true});
  }

  void add_filled() {
    core::Send send;
    send.record = {slot++, 7};
    send.attempt = core::Attempt{2};
    batch.add(stored->record, send);
  }

  const StoredRecord& record() const { return stored->record; }

  const http::Request& finish() {
    const http::Request& request = batch.finish();
    headers.clear();
    for (const auto& header : request.headers) headers[std::string(header.name)] = header.value;
    return request;
  }

  BatchRequest batch;
  std::optional<Stored> stored;
  std::uint32_t slot = 0;
  std::map<std::string, std::string> headers;
};

TEST(BatchRequest, json_is_a_list_of_the_values_as_they_are) {
  Written written(Format::json);
  written.add(0, 1, "{\"a\": 1}");
  written.add(0, 2, std::nullopt);
  written.add(0, 3, " 17 ");
  EXPECT_EQ(written.finish().body, "[{\"a\": 1},null, 17 ]");
}

TEST(BatchRequest, what_is_not_json_goes_in_name_only) {
  const std::string wrong[] = {"",         "{",  "1],[2", "{} {}",
                               "\"\xff\"", "01", "nul",   std::string("1\0],[2", 6)};
  for (const std::string& bad : wrong) {
    Written written(Format::json);
    written.add(0, 1, "1");
    written.add(0, 2, bad);
    written.add(0, 3, "3");
    const http::Request& request = written.finish();
    EXPECT_EQ(request.body, "[1,3]") << bad;
    ASSERT_EQ(request.members.size(), 3u);
    EXPECT_EQ(request.members[1].unfit, "its value is not JSON, as a batch in JSON wants it");
    EXPECT_EQ(written.headers["Einlass-Batch"], "2");
    EXPECT_EQ(written.headers["Einlass-Records"], "results-0-1, results-0-3");
  }
}

TEST(BatchRequest, deep_json_is_read_without_a_deep_stack) {
  Written written(Format::json);
  written.add(0, 1, std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  EXPECT_EQ(written.finish().members[0].unfit, "");
}

TEST(BatchRequest, lines_end_with_a_line_break_and_may_hold_none) {
  Written written(Format::lines);
  written.add(0, 1, "one");
  written.add(0, 2, "two\nthree");
  written.add(0, 3, std::nullopt);
  written.add(0, 4, "four\r{}");
  written.add(0, 5, "five\r");
  const http::Request& request = written.finish();
  EXPECT_EQ(request.body, "one\n\n");
  for (const std::size_t i : {1u, 3u, 4u}) {
    EXPECT_EQ(request.members[i].unfit, "its value has a line break, as no batch of lines may");
  }
}

TEST(BatchRequest, a_length_stands_before_each_value) {
  Written written(Format::length_prefixed);
  written.add(0, 1, std::string("a\0b", 3));
  written.add(0, 2, std::nullopt);
  written.add(0, 3, std::string(258, 'x'));
  const std::string expected = std::string("\0\0\0\3a\0b", 7) + "\xff\xff\xff\xff" +
                               std::string("\0\0\1\2", 4) + std::string(258, 'x');
  EXPECT_EQ(written.finish().body, expected);
}

TEST(BatchRequest, says_which_records_it_is_of) {
  Written written(Format::lines);
  written.add(0, 5, "a");
  written.add(0, 6, "b");
  written.add(0, 7, "c");
  written.add(1, 8, "d");
  written.add(0, 9, "e", "results.more");
  const http::Request& request = written.finish();
  EXPECT_EQ(written.headers["Einlass-Records"], "results-0-5..7, results-1-8, results.more-0-9");
  EXPECT_EQ(written.headers["Einlass-Batch"], "5");
  EXPECT_EQ(request.record, (core::RecordId{0, 7}));
  EXPECT_EQ(request.members.size(), 5u);
}

// Servers bound a head, and over HTTP/2 many end the connection that all share for a larger one.
TEST(BatchRequest, whatever_the_records_are_its_body_has_a_bound) {
  constexpr std::size_t kMost = 1'000;
  const core::BatchOptions options{1'000, Bytes{kMost}, {}, Bytes{1 << 20}};
  for (const Format format : {Format::json, Format::lines, Format::length_prefixed}) {
    for (const std::optional<std::string>& value :
         {std::optional<std::string>("1"), std::optional<std::string>()}) {
      Written written(format);
      core::Batch batch(options);
      core::Commands commands;
      for (std::int64_t offset = 0;; ++offset) {
        written.fill(0, offset, value, "results");
        core::Record record;
        record.offset = Offset{offset};
        record.content = body_size(format, written.record());
        if (!batch.takes(record)) break;
        commands.push_back(core::Send{});
        batch.add(record, commands);
        written.add_filled();
      }
      const std::size_t size = written.finish().body.size();
      EXPECT_LE(size, kMost);
      EXPECT_GT(size, kMost / 2);
    }
  }
}

TEST(BatchRequest, whatever_the_records_are_the_names_of_a_batch_have_a_bound) {
  constexpr std::size_t kMost = 1'000;
  const core::BatchOptions options{1'000, Bytes{1 << 20}, {}, Bytes{kMost}};
  std::mt19937 random(1);
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    Written written(Format::lines);
    core::Batch batch(options);
    core::Commands commands;
    const std::string topic(1 + random() % 20, 't');
    std::int64_t offset = 95;
    for (;;) {
      offset += i % 2 == 0 ? 1 : 1 + random() % 3;
      const bool fits = random() % 3 > 0;
      written.fill(0, offset, fits ? "a" : "a\n", topic);
      core::Record record;
      record.offset = Offset{offset};
      record.name_size = listed_size(Format::lines, written.record());
      if (!batch.takes(record)) break;
      commands.push_back(core::Send{});
      batch.add(record, commands);
      written.add_filled();
    }
    written.finish();
    longest = std::max(longest, written.headers["Einlass-Records"].size());
  }
  EXPECT_LE(longest, kMost);
  EXPECT_GT(longest, kMost / 2);
}

// In the dead letter topic they follow one another, and their names are those of where they were.
TEST(BatchRequest, so_have_the_names_of_a_batch_of_dead_letters) {
  constexpr std::size_t kMost = 1'000;
  const core::BatchOptions options{1'000, Bytes{1 << 20}, {}, Bytes{kMost}};
  Written written(Format::lines);
  core::Batch batch(options);
  core::Commands commands;
  for (std::int64_t read_at = 0;; ++read_at) {
    written.fill(0, 100 + 7 * read_at, "a", "results");
    core::Record record;
    record.offset = Offset{read_at};
    record.name_size = listed_size(Format::lines, written.record());
    record.named_apart = true;
    if (!batch.takes(record)) break;
    commands.push_back(core::Send{});
    batch.add(record, commands);
    written.add_filled();
  }
  written.finish();
  const std::size_t size = written.headers["Einlass-Records"].size();
  EXPECT_LE(size, kMost);
  EXPECT_GT(size, kMost / 2);
}

TEST(BatchRequest, has_the_same_key_for_the_same_records_only) {
  const auto key = [](std::int64_t last) {
    Written written(Format::lines);
    written.add(0, 5, "a");
    written.add(0, last, "b");
    written.finish();
    return written.headers["Idempotency-Key"];
  };
  EXPECT_EQ(key(7), key(7));
  EXPECT_NE(key(7), key(8));
  EXPECT_EQ(key(7).substr(0, 15), "\"results-0-5+2-");
}

TEST(BatchRequest, nothing_of_the_last_request_is_left) {
  Written written(Format::json);
  written.add(0, 1, "1");
  written.finish();
  written.add(0, 2, "2");
  EXPECT_EQ(written.finish().body, "[2]");
  EXPECT_EQ(written.headers["Einlass-Records"], "results-0-2");
}

}  // namespace
}  // namespace einlass::app
