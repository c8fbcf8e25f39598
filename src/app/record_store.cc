#include "app/record_store.h"

#include <utility>

#include "units/check.h"

namespace einlass::app {
namespace {

// A slot that once held a larger record gives the room back; smaller ones keep it for the next,
constexpr std::size_t kRoomKept = 2 * 1024;

// unless all that wait for one have this much already: what they keep is nobody's `inside`.
constexpr std::size_t kMostRoomKept = 4 * 1024 * 1024;

// What the text holds beside itself.
std::size_t heap_of(const std::string& text) {
  static const std::size_t own_room = std::string().capacity();
  return text.capacity() > own_room ? text.capacity() + 1 : 0;
}

}  // namespace

std::size_t StoredRecord::room() const {
  return heap_of(bytes_) + heap_of(last_error) + headers_.capacity() * sizeof(HeaderPieces);
}

// Exactly once, and no more than is needed: a text that grows by itself doubles.
void StoredRecord::make_room(const kafka::Message& message) {
  std::size_t size = message.topic.size();
  size += message.key ? message.key->size() : 0;
  size += message.value ? message.value->size() : 0;
  for (const kafka::Header& header : message.headers) {
    size += header.name.size() + (header.value ? header.value->size() : 0);
  }
  bytes_.clear();
  headers_.clear();
  if (size > bytes_.capacity()) {
    std::string().swap(bytes_);
    bytes_.reserve(size);
  }
  headers_.reserve(message.headers.size());
}

void StoredRecord::give_room_back() {
  std::string().swap(bytes_);
  std::string().swap(last_error);
  decltype(headers_)().swap(headers_);
}

Bytes StoredRecord::content() const {
  return Bytes{static_cast<std::int64_t>(bytes_.size() - topic_.size)};
}

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
  make_room(message);
  topic_ = add(message.topic);
  key_ = add(message.key);
  value_ = add(message.value);
  for (const kafka::Header& header : message.headers) {
    headers_.push_back({add(header.name), add(header.value)});
  }
}

std::uint32_t RecordStore::unused_slot() {
  for (std::vector<std::uint32_t>* slots : {&roomy_, &bare_}) {
    if (slots->empty()) continue;
    const std::uint32_t slot = slots->back();
    slots->pop_back();
    return slot;
  }
  records_.emplace_back();
  return static_cast<std::uint32_t>(records_.size() - 1);
}

core::RecordId RecordStore::put(const kafka::Message& message, core::RouteId route) {
  const std::uint32_t slot = unused_slot();
  StoredRecord& record = records_[slot];
  room_kept_ -= record.room();
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
  const std::size_t room = record.room();
  if (room > kRoomKept || room_kept_ + room > kMostRoomKept) record.give_room_back();
  room_kept_ += record.room();
  (record.room() > 0 ? roomy_ : bare_).push_back(id.slot);
}

}  // namespace einlass::app
