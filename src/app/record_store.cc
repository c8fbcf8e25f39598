#include "app/record_store.h"

#include <utility>

#include "units/check.h"

namespace einlass::app {
namespace {

// A slot that once held a larger record gives the room back; smaller ones keep it for the next.
constexpr std::size_t kRoomKept = 2 * 1024;
constexpr std::size_t kHeadersKept = 32;

}  // namespace

StoredRecord::Piece StoredRecord::add(std::string_view text) {
  const Piece piece{static_cast<std::uint32_t>(bytes_.size()),
                    static_cast<std::uint32_t>(text.size()), false};
  bytes_ += text;
  return piece;
}

StoredRecord::Piece StoredRecord::add(std::optional<std::string_view> text) {
  return text ? add(*text) : Piece{0, 0, true};
}

void StoredRecord::fill(const kafka::Message& message, core::RouteId its_route) {
  route = its_route;
  number = message.number;
  offset = message.offset;
  timestamp_ms = message.timestamp_ms;
  first_attempt = last_attempt = Instant{};
  attempts = 0;
  last_status = 0;
  last_error.clear();
  earlier = message.earlier;
  bytes_.clear();
  headers_.clear();
  topic_ = add(message.topic);
  key_ = add(message.key);
  value_ = add(message.value);
  for (const kafka::Header& header : message.headers) {
    headers_.push_back({add(header.name), add(header.value)});
  }
}

core::RecordId RecordStore::put(const kafka::Message& message, core::RouteId route) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(records_.size()));
    records_.emplace_back();
  }
  const std::uint32_t slot = unused_.back();
  unused_.pop_back();
  StoredRecord& record = records_[slot];
  record.taken_ = true;
  record.fill(message, route);
  return {slot, record.use_};
}

StoredRecord& RecordStore::operator[](core::RecordId id) {
  return const_cast<StoredRecord&>(std::as_const(*this)[id]);
}

const StoredRecord& RecordStore::operator[](core::RecordId id) const {
  CHECK(id.slot < records_.size());
  const StoredRecord& record = records_[id.slot];
  CHECK(record.taken_);
  CHECK(record.use_ == id.use);
  return record;
}

void RecordStore::forget(core::RecordId id) {
  StoredRecord& record = (*this)[id];
  record.taken_ = false;
  ++record.use_;
  if (record.bytes_.capacity() > kRoomKept) std::string().swap(record.bytes_);
  if (record.headers_.capacity() > kHeadersKept) decltype(record.headers_)().swap(record.headers_);
  unused_.push_back(id.slot);
}

}  // namespace einlass::app
