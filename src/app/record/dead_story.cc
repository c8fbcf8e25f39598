#include "app/record/dead_story.h"

#include <algorithm>
#include <optional>

#include "text/number.h"
#include "units/kafka_name.h"

namespace einlass::app {
namespace {

// The last one counts: what was added later tells of what happened later.
std::optional<std::string_view> find(std::span<const kafka::Header> headers,
                                     std::string_view name) {
  for (std::size_t i = headers.size(); i > 0; --i) {
    if (headers[i - 1].name == name) return headers[i - 1].value;
  }
  return std::nullopt;
}

template <class Number>
std::optional<Number> number_of(std::optional<std::string_view> text, Number least) {
  const auto number = whole_number<Number>(text.value_or(""));
  if (number && *number < least) return std::nullopt;
  return number;
}

std::string wrong(std::string_view name) {
  return "its header " + std::string(name) + " is missing or says nothing that can be used";
}

}  // namespace

bool is_story_header(std::string_view name) {
  return std::find(kStoryHeaders.begin(), kStoryHeaders.end(), name) != kStoryHeaders.end();
}

std::variant<DeadStory, std::string> read_story(std::span<const kafka::Header> headers) {
  const auto at = [&](std::string_view name) { return find(headers, name); };
  DeadStory story;
  story.route = at(kRouteHeader).value_or("");
  if (story.route.empty()) return wrong(kRouteHeader);
  story.topic = at(kTopicHeader).value_or("");
  if (!is_kafka_name(story.topic)) return wrong(kTopicHeader);
  const auto number = number_of<std::int32_t>(at(kPartitionHeader), 0);
  if (!number) return wrong(kPartitionHeader);
  story.number = PartitionNumber{*number};
  const auto offset = number_of<std::int64_t>(at(kOffsetHeader), 0);
  if (!offset) return wrong(kOffsetHeader);
  story.offset = Offset{*offset};
  // The rest only tells: a dead letter that lacks it is as good.
  story.timestamp_ms = number_of<std::int64_t>(at(kTimestampHeader), -1).value_or(-1);
  story.reason = at(kReasonHeader).value_or("");
  story.status = at(kStatusHeader).value_or("");
  story.error = at(kErrorHeader).value_or("");
  story.attempts.count = number_of<std::uint32_t>(at(kAttemptsHeader), 0).value_or(0);
  story.attempts.first_ms = number_of<std::int64_t>(at(kFirstAttemptHeader), 0).value_or(-1);
  story.attempts.last_ms = number_of<std::int64_t>(at(kLastAttemptHeader), 0).value_or(-1);
  return story;
}

}  // namespace einlass::app
