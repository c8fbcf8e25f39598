#include "app/record/dead_record.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/record/dead_story.h"

namespace einlass::app {
namespace {

constexpr std::string_view kNever =
    "no waiting would give it a permit: it costs more than a limit ever grants, or a rate is 0";

constexpr std::string_view kExpired = "it may not be delivered any more, by its own `expires`";

std::int64_t millis(Instant at) { return at.us / 1000; }

// Whoever reads the headers may take them for ASCII.
std::string ascii(std::string text) {
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text;
}

// All attempts, those before it was read from a dead letter topic among them.
kafka::EarlierAttempts attempts_of(const StoredRecord& record) {
  kafka::EarlierAttempts all = record.earlier;
  if (record.attempts == 0) return all;
  all.count += std::min(record.attempts, std::numeric_limits<std::uint32_t>::max() - all.count);
  if (all.first_ms < 0) all.first_ms = millis(record.first_attempt);
  all.last_ms = millis(record.last_attempt);
  return all;
}

}  // namespace

std::string name_of(core::DeadLetterReason reason) {
  switch (reason) {
    case core::DeadLetterReason::refused:
      return "refused";
    case core::DeadLetterReason::attempts:
      return "attempts";
    case core::DeadLetterReason::never:
      return "never";
    case core::DeadLetterReason::bad_key:
      return "bad_key";
    case core::DeadLetterReason::too_large:
      return "too_large";
    case core::DeadLetterReason::expired:
      return "expired";
  }
  return "";
}

std::string too_large_text(Bytes content, Bytes most) {
  return "its key, value and headers have " + std::to_string(content.value) +
         " bytes, more than largest_record (" + std::to_string(most.value) + ")";
}

DeadRecordBuilder::DeadRecordBuilder(const StoredRecord& record, const core::DeadLetter& command,
                                     const config::Route& route) {
  values_.reserve(kStoryHeaders.size());
  headers_.reserve(record.header_count() + kStoryHeaders.size());
  for (std::size_t i = 0; i < record.header_count(); ++i) {
    if (!is_story_header(record.header(i).name)) headers_.push_back(record.header(i));
  }
  const kafka::EarlierAttempts attempts = attempts_of(record);
  add(kRouteHeader, route.name);
  add(kTopicHeader, std::string(record.topic()));
  add(kPartitionHeader, std::to_string(record.number.value));
  add(kOffsetHeader, std::to_string(record.offset.value));
  add(kTimestampHeader, std::to_string(record.timestamp_ms));
  add(kAttemptsHeader, std::to_string(attempts.count));
  add(kReasonHeader, name_of(command.reason));
  if (!record.last_error.empty()) {
    add(kErrorHeader, ascii(record.last_error));
  } else if (command.reason == core::DeadLetterReason::never) {
    add(kErrorHeader, std::string(kNever));
  } else if (command.reason == core::DeadLetterReason::expired) {
    add(kErrorHeader, std::string(kExpired));
  }
  if (record.attempts > 0 && record.last_status > 0) {
    add(kStatusHeader, std::to_string(record.last_status));
  }
  if (attempts.first_ms >= 0) add(kFirstAttemptHeader, std::to_string(attempts.first_ms));
  if (attempts.last_ms >= 0) add(kLastAttemptHeader, std::to_string(attempts.last_ms));
  dead_ = {command.record, route.dead_letter, record.key(), record.value(), headers_};
}

void DeadRecordBuilder::add(std::string_view name, std::string value) {
  values_.push_back(std::move(value));
  headers_.push_back({name, std::string_view(values_.back())});
}

}  // namespace einlass::app
