// What the records inside take of the heap, against what they count.
#include "app/record/record_store.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "unit/memory/counted_heap.h"

namespace einlass::app {
namespace {

constexpr core::RouteId kRoute{0};

// A power of two, so that the store has as many slots as records.
constexpr std::size_t kRecords = 1024;

struct Shape {
  const char* name;
  std::optional<std::string> key, value;
  std::vector<kafka::Header> headers;

  kafka::Message message() const {
    kafka::Message message;
    message.topic = "results";
    if (key) message.key = *key;
    if (value) message.value = *value;
    message.headers = headers;
    return message;
  }
};

const std::string kKiB(1024, 'v'), kLarge(100'000, 'h');

std::vector<Shape> shapes() {
  const kafka::Header trace{"traceparent",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  const kafka::Header type{"content-type", "application/json"}, tenant{"tenant", "acme"};
  return {{"no header", "k", kKiB, {}},
          {"one", "k", kKiB, {trace}},
          {"two", "k", kKiB, {trace, type}},
          {"three", "k", std::string(4096, 'v'), {trace, type, tenant}},
          {"thirty tiny", "k", kKiB, std::vector<kafka::Header>(30, {"h", "1"})},
          {"a huge one", "k", kKiB, {{"huge", kLarge}}},
          {"null", "k", kKiB, {{"null", std::nullopt}, {"null", std::nullopt}}},
          {"empty", "k", kKiB, {{"", ""}, {"empty", ""}}},
          {"large value", "k", kLarge, {trace, type, tenant}},
          {"tiny", std::nullopt, "{}", {tenant}},
          {"nothing", std::nullopt, std::nullopt, {}}};
}

TEST(RecordMemory, a_record_counts_what_it_takes) {
  for (const Shape& shape : shapes()) {
    const kafka::Message message = shape.message();
    RecordStore records;
    const std::ptrdiff_t before = heap.held;
    std::ptrdiff_t counted = 0;
    for (std::size_t i = 0; i < kRecords; ++i) {
      counted += records[records.put(message, kRoute)].size().value;
    }
    const auto taken = static_cast<double>(heap.held - before);
    EXPECT_NEAR(taken / static_cast<double>(counted), 1, 0.1) << shape.name;
  }
}

TEST(RecordMemory, a_record_takes_what_it_holds_and_little_more) {
  for (const Shape& shape : shapes()) {
    RecordStore records;
    const StoredRecord& record = records[records.put(shape.message(), kRoute)];
    const std::int64_t beside = record.size().value - record.content().value;
    EXPECT_LE(beside, static_cast<std::int64_t>(400 + 24 * shape.headers.size())) << shape.name;
  }
}

TEST(RecordMemory, the_next_record_takes_the_last_ones_room) {
  RecordStore records;
  const std::vector<Shape> all = shapes();
  for (const std::size_t shape : {0, 1, 2, 6, 7}) {
    const kafka::Message message = all[shape].message();
    records.forget(records.put(message, kRoute));
    const std::size_t before = heap.allocations;
    for (std::size_t i = 0; i < kRecords; ++i) records.forget(records.put(message, kRoute));
    EXPECT_EQ(heap.allocations, before) << all[shape].name;
  }
}

// Also with what is found in the value, which stands where the parser wanted room.
TEST(RecordMemory, reading_json_takes_nothing_more) {
  const JsonNeeds needs{{JsonPointer("/tenant"), JsonPointer("/n")}, true};
  Shape shape = shapes()[2];
  shape.value = R"({"tenant":"acme","n":17,"text":")" + kKiB + "\"}";
  const kafka::Message message = shape.message();
  RecordStore records({needs});
  records.forget(records.put(message, kRoute));
  const std::size_t before = heap.allocations;
  for (std::size_t i = 0; i < kRecords; ++i) records.forget(records.put(message, kRoute));
  EXPECT_EQ(heap.allocations, before);
  const StoredRecord& record = records[records.put(message, kRoute)];
  EXPECT_EQ(record.json("/tenant").text, "acme");
  EXPECT_LE(record.size().value - record.content().value, 600);
}

// What takes more than that room is counted like the rest.
TEST(RecordMemory, what_is_found_is_counted) {
  Shape shape = shapes()[0];
  shape.value = R"({"tenant":")" + kLarge + "\"}";
  const kafka::Message message = shape.message();
  const std::ptrdiff_t before = heap.held;
  RecordStore records({{{JsonPointer("/tenant")}, false}});
  std::ptrdiff_t counted = 0;
  for (int i = 0; i < 16; ++i) counted += records[records.put(message, kRoute)].size().value;
  EXPECT_NEAR(static_cast<double>(heap.held - before), static_cast<double>(counted), 2e6);
  EXPECT_GT(counted, 2 * 16 * static_cast<std::ptrdiff_t>(kLarge.size()));
}

// As docs/sizing.md and JsonReader::read() say.
TEST(JsonMemory, reading_takes_so_many_times_the_value) {
  constexpr double kPlain = 14, kOdd = 26;
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() < (1 << 20)) all += text;
    return all;
  };
  const std::string deep = repeated("["), closed(deep.size(), ']');
  struct Value {
    const char* name;
    std::string text;
    double least, most;
  };
  const Value values[] = {
      {"objects", "[" + repeated(R"({"name":"a lamp","count":3},)") + "0]", 13, kPlain},
      {"numbers", "[" + repeated("1,") + "0]", 13, kPlain},
      {"one text", '"' + repeated("text") + '"', 13, kPlain},
      {"half pairs", "[" + repeated(R"("\udc00",)") + "0]", kPlain, kOdd},
      {"wide numbers", "[" + repeated("99999999999999999999,") + "0]", kPlain, kOdd},
      {"deep", deep + closed, kPlain, kOdd},
      {"never closed", deep, kPlain, kOdd},
      {"never closed, and odd", deep + R"("\udc00")", 0.9 * kOdd, kOdd},
      {"deep and wide", repeated("[99999999999999999999,"), 0.9 * kOdd, kOdd}};
  for (const Value& value : values) {
    std::string padded = value.text;
    padded.append(JsonReader::kPadding, ' ');
    const std::ptrdiff_t before = heap.most_held = heap.held;
    JsonReader reader;
    reader.read(std::string_view(padded).substr(0, value.text.size()));
    const auto taken = static_cast<double>(heap.most_held - before);
    const double times = taken / static_cast<double>(value.text.size());
    EXPECT_GE(times, value.least) << value.name;
    EXPECT_LE(times, value.most) << value.name;
  }
}

TEST(RecordMemory, unused_slots_keep_little) {
  constexpr std::ptrdiff_t kMostKept = 4 << 20;
  const Shape shape = shapes()[2];
  RecordStore records;
  std::vector<core::RecordId> ids(16 * kRecords);
  const std::ptrdiff_t before = heap.held;
  for (core::RecordId& id : ids) id = records.put(shape.message(), kRoute);
  const auto slots = static_cast<std::ptrdiff_t>(ids.size() * sizeof(StoredRecord));
  for (const core::RecordId id : ids) records.forget(id);
  EXPECT_GT(heap.held - before, slots + kMostKept / 2);
  EXPECT_LT(heap.held - before, slots + kMostKept * 5 / 4);
  // And those that keep it are taken first.
  const std::size_t allocations_before = heap.allocations;
  for (std::size_t i = 0; i < kRecords; ++i) ids[i] = records.put(shape.message(), kRoute);
  EXPECT_EQ(heap.allocations, allocations_before);
}

TEST(RecordMemory, a_large_record_leaves_no_room_behind) {
  RecordStore records;
  records.forget(records.put(shapes()[0].message(), kRoute));
  const std::ptrdiff_t before = heap.held;
  records.forget(records.put(shapes()[8].message(), kRoute));
  EXPECT_LE(heap.held, before);
}

TEST(StoredRecord, its_content_is_what_was_read) {
  RecordStore records;
  kafka::Message message;
  message.topic = "results";
  message.key = "four";
  message.value = "value";
  const std::vector<kafka::Header> headers{{"name", "text"}, {"null", std::nullopt}};
  message.headers = headers;
  EXPECT_EQ(records[records.put(message, kRoute)].content(), Bytes{4 + 5 + 8 + 4});
}

}  // namespace
}  // namespace einlass::app
