#include "app/dead_record.h"

#include <utility>

namespace einlass::app {
namespace {

constexpr std::size_t kOwnHeaders = 11;

constexpr std::string_view kNever =
    "no waiting would give it a permit: it costs more than a limit ever grants, or a rate is 0";

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
  }
  return "";
}

std::string millis(Instant at) { return std::to_string(at.us / 1000); }

}  // namespace

DeadRecordBuilder::DeadRecordBuilder(const StoredRecord& record, const core::DeadLetter& command,
                                     const config::Route& route) {
  values_.reserve(kOwnHeaders);
  headers_.reserve(record.header_count() + kOwnHeaders);
  for (std::size_t i = 0; i < record.header_count(); ++i) headers_.push_back(record.header(i));
  add("einlass-route", route.name);
  add("einlass-topic", std::string(record.topic()));
  add("einlass-partition", std::to_string(record.number.value));
  add("einlass-offset", std::to_string(record.offset.value));
  add("einlass-timestamp", std::to_string(record.timestamp_ms));
  add("einlass-attempts", std::to_string(record.attempts));
  add("einlass-reason", name_of(command.reason));
  if (!record.last_error.empty()) {
    add("einlass-error", record.last_error);
  } else if (command.reason == core::DeadLetterReason::never) {
    add("einlass-error", std::string(kNever));
  }
  if (record.attempts > 0) {
    if (record.last_status > 0) add("einlass-status", std::to_string(record.last_status));
    add("einlass-first-attempt-at", millis(record.first_attempt));
    add("einlass-last-attempt-at", millis(record.last_attempt));
  }
  dead_ = {command.record, route.dead_letter, record.key(), record.value(), headers_};
}

void DeadRecordBuilder::add(std::string_view name, std::string value) {
  values_.push_back(std::move(value));
  headers_.push_back({name, std::string_view(values_.back())});
}

}  // namespace einlass::app
