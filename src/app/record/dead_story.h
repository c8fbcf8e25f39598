// The headers by which a dead letter tells its story: their names, and what they say when the dead
// letter is read again.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/kafka/source/source.h"
#include "units/id.h"

namespace einlass::app {

inline constexpr std::string_view kRouteHeader = "einlass-route";
inline constexpr std::string_view kTopicHeader = "einlass-topic";
inline constexpr std::string_view kPartitionHeader = "einlass-partition";
inline constexpr std::string_view kOffsetHeader = "einlass-offset";
inline constexpr std::string_view kTimestampHeader = "einlass-timestamp";
inline constexpr std::string_view kAttemptsHeader = "einlass-attempts";
inline constexpr std::string_view kReasonHeader = "einlass-reason";
inline constexpr std::string_view kStatusHeader = "einlass-status";
inline constexpr std::string_view kErrorHeader = "einlass-error";
inline constexpr std::string_view kFirstAttemptHeader = "einlass-first-attempt-at";
inline constexpr std::string_view kLastAttemptHeader = "einlass-last-attempt-at";

inline constexpr std::array kStoryHeaders = {
    kRouteHeader,     kTopicHeader,        kPartitionHeader,  kOffsetHeader,
    kTimestampHeader, kAttemptsHeader,     kReasonHeader,     kStatusHeader,
    kErrorHeader,     kFirstAttemptHeader, kLastAttemptHeader};

inline constexpr std::array<std::string_view, 6> kReasons = {"refused", "attempts", "too_large",
                                                             "bad_key", "never",    "expired"};

// True for the names above. They are the gate's own: where a record brings one, its dead letter
// has the gate's instead, and what is delivered again has none.
bool is_story_header(std::string_view name);

// What a dead letter tells of itself. All views are into its headers.
struct DeadStory {
  std::string_view route;
  std::string_view topic;  // Where the record was first, and where there.
  PartitionNumber number;
  Offset offset;
  std::int64_t timestamp_ms = -1;
  std::string_view reason;
  std::string_view status;  // Empty if no attempt was answered.
  std::string_view error;
  kafka::EarlierAttempts attempts;
};

// The story, or what is wrong with it, in words that hold nothing of the record.
std::variant<DeadStory, std::string> read_story(std::span<const kafka::Header> headers);

}  // namespace einlass::app
