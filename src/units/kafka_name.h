// What Kafka takes for the name of a topic, a group or a member: org.apache.kafka.common.internals
// .Topic, MAX_NAME_LENGTH and LEGAL_CHARS.
#pragma once

#include <cstddef>
#include <string_view>

namespace einlass {

inline constexpr std::size_t kLongestKafkaName = 249;

inline bool is_kafka_name(std::string_view text) {
  constexpr std::string_view kLegal =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= kLongestKafkaName && text != "." && text != ".." &&
         text.find_first_not_of(kLegal) == std::string_view::npos;
}

}  // namespace einlass
