#include "app/record/record_notices.h"

#include <string>

#include "text/ascii.h"

namespace einlass::app {

std::string record_name(const StoredRecord& record) {
  return std::string(record.topic()) + "-" + std::to_string(record.number.value) + "@" +
         std::to_string(record.offset.value);
}

// In small letters: a producer who varies the spelling is not counted apart.
Notice header_not_forwarded(const StoredRecord& record, std::string_view header) {
  return {Severity::warning, "header_not_forwarded",
          "records of topic " + std::string(record.topic()) + " have a header " + lower(header) +
              " that is not sent on: it has bytes that HTTP forbids, or all that a record writes "
              "into the head is more than head_bytes",
          record_name(record)};
}

Notice dead_letter_too_large(const StoredRecord& record, std::string_view dead_letter_topic) {
  return {Severity::error, "dead_letter_too_large",
          "a record of topic " + std::string(record.topic()) +
              " is larger than the dead letter topic " + std::string(dead_letter_topic) +
              " takes; raise that topic's max.message.bytes (and message.max.bytes in "
              "kafka.properties, "
              "if it is set there). It is retried forever, and the records ordered behind it wait",
          record_name(record) + " (" + std::to_string(record.content().value) + " bytes)"};
}

Notice dead_lettered(const StoredRecord& record, std::string_view route, std::string_view reason,
                     std::string_view dead_letter_topic) {
  // What the server wrote may have the record in it.
  const bool by_target = record.last_status != 0;
  return {Severity::warning, "dead_lettered",
          "records of route " + std::string(route) + " go to the dead letter topic " +
              std::string(dead_letter_topic) + ": " + std::string(reason) +
              (by_target ? " (status " + std::to_string(record.last_status) + ")" : ""),
          record_name(record)};
}

}  // namespace einlass::app
