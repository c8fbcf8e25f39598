#include "app/record/record_notices.h"

#include <algorithm>
#include <string>

namespace einlass::app {
namespace {

std::string place_of(const StoredRecord& record) {
  return std::string(record.topic()) + "-" + std::to_string(record.number.value) + "@" +
         std::to_string(record.offset.value);
}

// Names of headers are the same in any spelling: a producer who varies it is not counted apart.
std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return lower;
}

}  // namespace

Notice header_not_forwarded(const StoredRecord& record, std::string_view header) {
  return {Severity::warning, "header_not_forwarded",
          "records of topic " + std::string(record.topic()) + " have a header " +
              lower_case(header) +
              " that is not sent on: it has bytes that HTTP forbids, or a record's headers are "
              "more than 8 KiB together",
          place_of(record)};
}

Notice dead_letter_too_large(const StoredRecord& record, std::string_view dead_letter_topic) {
  return {Severity::error, "dead_letter_too_large",
          "a record of topic " + std::string(record.topic()) +
              " is larger than the dead letter topic " + std::string(dead_letter_topic) +
              " takes; raise that topic's max.message.bytes. It is tried again for ever, and what "
              "must leave after it waits",
          place_of(record) + " (" + std::to_string(record.content().value) + " bytes)"};
}

}  // namespace einlass::app
