#include "app/record/stored_record.h"

#include <utility>

#include "units/check.h"

namespace einlass::app {
namespace {

// By no more than is needed: a text that grows by itself doubles.
void grow_to(std::string& text, std::size_t size) {
  if (size <= text.capacity()) return;
  std::string larger;
  larger.reserve(size);
  larger += text;
  text.swap(larger);
}

// What the allocator puts before each block.
constexpr std::size_t kBeforeBlock = sizeof(std::size_t);

// What the text holds beside itself.
std::size_t heap_of(const std::string& text) {
  static const std::size_t own_room = std::string().capacity();
  return text.capacity() > own_room ? kBeforeBlock + text.capacity() + 1 : 0;
}

template <class Item>
std::size_t heap_of(const std::vector<Item>& list) {
  return list.capacity() > 0 ? kBeforeBlock + list.capacity() * sizeof(Item) : 0;
}

}  // namespace

std::size_t StoredRecord::room() const {
  return heap_of(bytes_) + heap_of(last_error) + heap_of(headers_) + heap_of(json_);
}

// Once for all of it, and `beside` bytes more.
void StoredRecord::make_room(const kafka::Message& message, std::size_t beside) {
  std::size_t size = message.topic.size() + beside;
  size += message.key ? message.key->size() : 0;
  size += message.value ? message.value->size() : 0;
  for (const kafka::Header& header : message.headers) {
    size += header.name.size() + (header.value ? header.value->size() : 0);
  }
  bytes_.clear();
  headers_.clear();
  grow_to(bytes_, size);
  headers_.reserve(message.headers.size());
}

void StoredRecord::give_room_back() {
  std::string().swap(bytes_);
  std::string().swap(last_error);
  decltype(headers_)().swap(headers_);
  decltype(json_)().swap(json_);
}

Instant StoredRecord::written() const {
  constexpr std::int64_t kMostMs = 253'402'300'800'000;  // Beyond the year 9999 it is no time.
  const bool known = timestamp_ms >= 0 && timestamp_ms < kMostMs;
  return known ? Instant{timestamp_ms * 1'000} : arrived;
}

Bytes StoredRecord::content() const {
  std::size_t size = key_.size + value_.size;
  for (const HeaderPieces& header : headers_) size += header.name.size + header.value.size;
  return Bytes{static_cast<std::int64_t>(size)};
}

StoredRecord::Piece StoredRecord::add(std::string_view text) {
  const Piece piece{static_cast<std::uint32_t>(bytes_.size()),
                    static_cast<std::uint32_t>(text.size())};
  bytes_ += text;
  return piece;
}

StoredRecord::Piece StoredRecord::add(std::optional<std::string_view> text) {
  return text ? add(*text) : Piece{kNull, 0};
}

// The value is the last of it, so that what the reader wants behind it can be there.
void StoredRecord::fill(const kafka::Message& message, core::RouteId its_route,
                        std::size_t beside) {
  make_room(message, beside);
  route = its_route;
  number = message.number;
  offset = message.offset;
  timestamp_ms = message.timestamp_ms;
  first_attempt = last_attempt = Instant{};
  attempts = 0;
  last_status = 0;
  last_error.clear();
  earlier = message.earlier;
  topic_ = add(message.topic);
  key_ = add(message.key);
  for (const kafka::Header& header : message.headers) {
    headers_.push_back({add(header.name), add(header.value)});
  }
  value_ = add(message.value);
}

// What is found stands where the reader had its padding.
void StoredRecord::read_json(const std::shared_ptr<const JsonNeeds>& needs, JsonReader& reader,
                             Bytes largest) {
  if (needs_ != needs) needs_ = needs;
  json_.clear();
  form_ = {};
  if (needs_ == nullptr || value_.null() || Bytes{value_.size} > largest) return;
  const std::size_t end = value_.at + value_.size;
  bytes_.resize(end);
  grow_to(bytes_, end + JsonReader::kPadding);
  bytes_.resize(end + JsonReader::kPadding);
  form_ = reader.read(view(value_));
  bytes_.resize(end);
  json_.reserve(needs_->pointers.size());
  for (const JsonPointer& pointer : needs_->pointers) {
    const JsonScalar found = form_.readable ? reader.find(pointer) : JsonScalar{};
    grow_to(bytes_, bytes_.size() + found.text.size());
    json_.push_back({add(found.text), found.kind});
  }
  reader.forget();
}

JsonScalar StoredRecord::json(std::string_view pointer) const {
  CHECK(needs_ != nullptr);
  const std::vector<JsonPointer>& pointers = needs_->pointers;
  std::size_t index = 0;
  while (index < pointers.size() && pointers[index].text() != pointer) ++index;
  CHECK(index < pointers.size());
  if (json_.empty()) return {};  // It has no value, or one that is too large.
  return {json_[index].kind, view(json_[index].text)};
}

bool StoredRecord::listable() const {
  CHECK(needs_ != nullptr && needs_->in_lists);
  return form_.listable;
}

}  // namespace einlass::app
