#include "app/targets/request.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/record/extract.h"
#include "net/encoding.h"
#include "text/ascii.h"
#include "units/check.h"

namespace einlass::app {
namespace {

constexpr std::string_view kTraceContext[] = {"traceparent", "tracestate", "baggage"};

// What a field takes besides its name and its value, as servers count a head (RFC 9113, 6.5.2).
constexpr std::size_t kFieldOverhead = 32;

// Beyond what the numbers take; keys and topics are counted apart.
constexpr std::size_t kRoomForNumbers = 512;

// As Kafka-Key has it, or Kafka-Key-Base64.
std::size_t written_size(std::string_view key) {
  return is_visible(key) ? key.size() : 4 * ((key.size() + 2) / 3);
}

}  // namespace

RequestBuilder::RequestBuilder(RunId run, std::vector<std::string> forward, Bytes most_of_record)
    : run_(run),
      forward_(std::move(forward)),
      most_of_record_(static_cast<std::size_t>(most_of_record.value)) {}

std::string_view RequestBuilder::keep(std::string_view text) {
  const std::size_t at = text_.size();
  CHECK(at + text.size() <= text_.capacity());  // Growing would move what others point to.
  text_ += text;
  return std::string_view(text_).substr(at);
}

std::string_view RequestBuilder::keep(std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return keep(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

Unwritten RequestBuilder::build(const StoredRecord& record, const core::Send& send, bool limited,
                                RequestTemplate& parts, std::string& skipped) {
  text_.clear();
  headers_.clear();
  skipped.clear();
  text_.reserve(kRoomForNumbers + record.topic().size() + most_of_record_);
  const std::string_view id = add_origin(record);
  if (limited) {
    add("Einlass-Permit", keep(permit_uuid(run_, send.permit)));
    add("Einlass-Admitted-At", keep(send.permit.stamp.us));
  }
  add("Einlass-Attempt", keep(record.attempts));
  std::size_t room = most_of_record_;
  if (record.key() && !has_long_key(record)) {
    room -= written_size(*record.key());
    add_key(*record.key());
  }
  if (!record.value()) add("Kafka-Tombstone", "true");
  request_ = http::Request{};
  Unwritten unwritten = parts.fill(record, request_, headers_, room);
  if (!unwritten.why.empty()) return unwritten;
  add_forwarded(record, room, skipped);
  request_.record = send.record;
  request_.attempt = send.attempt;
  request_.failed_ago = send.failed_ago;
  request_.id = id;
  request_.key = record.key().value_or(std::string_view{});
  request_.headers = headers_;
  request_.body = record.value().value_or(std::string_view{});
  return {};
}

bool RequestBuilder::has_long_key(const StoredRecord& record) const {
  // The shortest that may be too long is looked at for its bytes.
  if (!record.key() || record.key()->size() <= most_of_record_ / 4 * 3) return false;
  return written_size(*record.key()) > most_of_record_;
}

std::string_view RequestBuilder::add_origin(const StoredRecord& record) {
  const std::size_t at = text_.size();
  keep("\"");
  keep(record.topic());
  keep("-");
  const std::string_view number = keep(record.number.value);
  keep("-");
  const std::string_view offset = keep(record.offset.value);
  keep("\"");
  const std::string_view quoted = std::string_view(text_).substr(at);
  add("Idempotency-Key", quoted);
  add("Kafka-Topic", record.topic());
  add("Kafka-Partition", number);
  add("Kafka-Offset", offset);
  if (record.timestamp_ms >= 0) add("Kafka-Timestamp", keep(record.timestamp_ms));
  return quoted.substr(1, quoted.size() - 2);
}

void RequestBuilder::add_key(std::string_view key) {
  if (is_visible(key)) return add("Kafka-Key", key);
  const std::size_t at = text_.size();
  net::append_base64(text_, key);
  add("Kafka-Key-Base64", std::string_view(text_).substr(at));
}

void RequestBuilder::add_forwarded(const StoredRecord& record, std::size_t room,
                                   std::string& skipped) {
  for (std::size_t i = 0; i < record.header_count(); ++i) {
    const kafka::Header header = record.header(i);
    if (!header.value) continue;
    const auto is_it = [&](std::string_view name) { return same_name(name, header.name); };
    const bool content_type = is_it("content-type");
    const bool forwarded = std::any_of(std::begin(kTraceContext), std::end(kTraceContext), is_it) ||
                           std::any_of(forward_.begin(), forward_.end(), is_it);
    if (!content_type && !forwarded) continue;
    const std::size_t size = header.name.size() + header.value->size() + kFieldOverhead;
    if (size > room || has_control(*header.value)) {
      skipped = header.name;
      continue;
    }
    room -= size;
    if (content_type) {
      request_.content_type = *header.value;
    } else {
      add(header.name, *header.value);
    }
  }
}

}  // namespace einlass::app
