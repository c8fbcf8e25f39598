// The bytes of the records inside: copied in when a record is read, kept until the gate forgets it.
// The gate itself only knows their ids and sizes, and so bounds how much memory this takes; slots
// that wait for another record keep room of a bounded size beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/source.h"
#include "core/ids.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::app {

// One record as it was read. Views are into its own bytes.
class StoredRecord {
 public:
  void fill(const kafka::Message& message, core::RouteId route);

  core::RouteId route;
  PartitionNumber number;
  Offset offset;
  std::int64_t timestamp_ms = -1;
  Instant arrived;  // When it was taken in.

  std::string_view topic() const { return view(topic_); }
  std::optional<std::string_view> key() const { return optional_view(key_); }
  std::optional<std::string_view> value() const { return optional_view(value_); }
  std::size_t header_count() const { return headers_.size(); }
  kafka::Header header(std::size_t i) const {
    return {view(headers_[i].name), optional_view(headers_[i].value)};
  }

  // The memory it takes, for the gate's bounds: its slot, and all the room it holds beside it.
  Bytes size() const { return Bytes{static_cast<std::int64_t>(sizeof *this + room())}; }

  // What was read of it, as whoever writes it elsewhere counts: its key, its value, its headers.
  Bytes content() const;

  // The story of its attempts, for its dead letter.
  Instant first_attempt;
  Instant last_attempt;
  std::uint32_t attempts = 0;
  unsigned last_status = 0;  // Of the last failed attempt; 0 where none was answered.
  std::string last_error;    // Why it failed.
  kafka::EarlierAttempts
      earlier;  // Those before it came to the dead letter topic it was read from.

 private:
  friend class RecordStore;
  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
    bool null = false;
  };
  struct HeaderPieces {
    Piece name, value;
  };

  std::string_view view(Piece piece) const { return {bytes_.data() + piece.at, piece.size}; }
  std::optional<std::string_view> optional_view(Piece piece) const {
    if (piece.null) return std::nullopt;
    return view(piece);
  }
  std::size_t room() const;
  void make_room(const kafka::Message& message);
  void give_room_back();
  Piece add(std::string_view text);
  Piece add(std::optional<std::string_view> text);

  std::uint32_t use_ = 0;
  bool taken_ = false;
  std::string bytes_;
  Piece topic_, key_, value_;
  std::vector<HeaderPieces> headers_;
};

class RecordStore {
 public:
  // Copies a message in.
  core::RecordId put(const kafka::Message& message, core::RouteId route);

  // The reference lives until the next call of put().
  // REQUIRES: the record was put in and not forgotten.
  StoredRecord& operator[](core::RecordId id);
  const StoredRecord& operator[](core::RecordId id) const;

  void forget(core::RecordId id);

  // Of the record in that slot, for whoever knows it by nothing else. REQUIRES: there is one.
  Instant arrived(std::uint32_t slot) const { return records_[slot].arrived; }

 private:
  std::uint32_t unused_slot();

  std::vector<StoredRecord> records_;
  // Slots without a record: those that keep room for the next one, and those that have none.
  std::vector<std::uint32_t> roomy_, bare_;
  std::size_t room_kept_ = 0;  // By all of the roomy ones.
};

}  // namespace einlass::app
