// Whatever stands in the headers of a dead letter, which anybody may have written: its story is
// read, or it is said in words of our own what is wrong; and the story that the gate writes is read
// back, once, however many the record brought with it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/record/dead_record.h"
#include "app/record/dead_story.h"
#include "app/record/record_store.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;
using namespace einlass::app;

constexpr std::size_t kMostHeaders = 16;
constexpr std::size_t kLongestTopic = 249;

kafka::Header some_header(fuzz::Source& source) {
  kafka::Header header;
  const std::size_t name = source.byte() % (kStoryHeaders.size() + 1);
  header.name = name < kStoryHeaders.size() ? kStoryHeaders[name] : source.text();
  if (source.bit()) header.value = source.text();
  return header;
}

void check_story(const DeadStory& story) {
  CHECK(!story.route.empty() && !story.topic.empty() && story.topic.size() <= kLongestTopic);
  CHECK(story.topic.find_first_of("\r\n\"/ ") == std::string_view::npos);
  CHECK(story.number.value >= 0 && story.offset.value >= 0 && story.timestamp_ms >= -1);
  CHECK(story.attempts.first_ms >= -1 && story.attempts.last_ms >= -1);
}

// The record dies again.
void check_written(const kafka::Message& message, const DeadStory& before) {
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  record.attempts = 2;
  record.first_attempt = Instant{5'000};
  record.last_attempt = Instant{7'000};
  config::Route route;
  route.name = "results";
  route.dead_letter = "results.dead";
  const DeadRecordBuilder builder(record, {core::RecordId{}, core::DeadLetterReason::attempts},
                                  route);
  const auto& headers = builder.record().headers;
  const auto read = read_story(headers);
  CHECK(std::holds_alternative<DeadStory>(read));
  const DeadStory& story = std::get<DeadStory>(read);
  CHECK(story.route == route.name && story.reason == "attempts");
  CHECK(story.topic == before.topic && story.number == before.number);
  CHECK(story.offset == before.offset && story.attempts.last_ms == 7);
  CHECK(story.attempts.count >= before.attempts.count);
  const auto is_own = [](const kafka::Header& h) { return is_story_header(h.name); };
  const auto foreign = std::count_if(message.headers.begin(), message.headers.end(),
                                     [&](const auto& h) { return !is_own(h); });
  const auto own = std::count_if(headers.begin(), headers.end(), is_own);
  CHECK(own <= static_cast<std::ptrdiff_t>(kStoryHeaders.size()));
  CHECK(own + foreign == static_cast<std::ptrdiff_t>(headers.size()));
  CHECK(builder.record().key == message.key && builder.record().value == message.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Source source(data, size);
  std::vector<kafka::Header> headers;
  while (!source.empty() && headers.size() < kMostHeaders) headers.push_back(some_header(source));
  const auto read = read_story(headers);
  if (const auto* wrong = std::get_if<std::string>(&read)) {
    CHECK(!wrong->empty() && wrong->size() < 200);
    return 0;
  }
  const DeadStory& story = std::get<DeadStory>(read);
  check_story(story);
  kafka::Message message;
  message.topic = story.topic;
  message.number = story.number;
  message.offset = story.offset;
  message.timestamp_ms = story.timestamp_ms;
  message.earlier = story.attempts;
  message.key = story.error;
  message.value = source.rest();
  message.headers = headers;
  check_written(message, story);
  return 0;
}
