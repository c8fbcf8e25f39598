// One record as it was read, and what was found in its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "app/json/json_needs.h"
#include "app/json/json_reader.h"
#include "core/contract/ids.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::app {

// One record as it was read. Views are into its own bytes. What is asked of each record comes
// first: it lies in memory for long, and each line of the processor's cache is fetched anew.
class alignas(64) StoredRecord {
 public:
  // Copies it in, with room for `beside` bytes behind it.
  void fill(const kafka::Message& message, core::RouteId route, std::size_t beside = 0);

  core::RouteId route;
  PartitionNumber number;
  Offset offset;
  std::int64_t timestamp_ms = -1;
  Instant arrived;  // When it was taken in.

  // When it was written, by its timestamp in Kafka; where that says nothing, when it was taken in.
  Instant written() const;

  std::string_view topic() const { return view(topic_); }
  std::optional<std::string_view> key() const { return optional_view(key_); }
  std::optional<std::string_view> value() const { return optional_view(value_); }
  std::size_t header_count() const { return headers_.size(); }
  kafka::Header header(std::size_t i) const {
    return {view(headers_[i].name), optional_view(headers_[i].value)};
  }

  // What a pointer finds in the value. REQUIRES: it is one of those that were needed when the
  // record was read.
  JsonScalar json(std::string_view pointer) const;

  // Whether the value may stand in a list in JSON. REQUIRES: that was needed when it was read.
  bool listable() const;

  // The memory it takes, for the gate's bounds: its slot, and all the room it holds beside it.
  Bytes size() const { return Bytes{static_cast<std::int64_t>(sizeof *this + room())}; }

  // What was read of it, as whoever writes it elsewhere counts: its key, its value, its headers.
  Bytes content() const;

 private:
  friend class RecordStore;
  static constexpr std::uint32_t kNull = ~std::uint32_t{0};  // As `at` of what is not there.
  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t size = 0;

    bool null() const { return at == kNull; }
  };
  struct HeaderPieces {
    Piece name, value;
  };
  struct JsonPiece {
    Piece text;
    JsonScalar::Kind kind = JsonScalar::Kind::none;
  };

  std::string_view view(Piece piece) const { return {bytes_.data() + piece.at, piece.size}; }
  std::optional<std::string_view> optional_view(Piece piece) const {
    if (piece.null()) return std::nullopt;
    return view(piece);
  }
  std::size_t room() const;
  void make_room(const kafka::Message& message, std::size_t beside);
  // Nothing of a value that is larger.
  void read_json(const std::shared_ptr<const JsonNeeds>& needs, JsonReader& reader, Bytes largest);
  void give_room_back();
  Piece add(std::string_view text);
  Piece add(std::optional<std::string_view> text);

  std::uint32_t use_ = 0;
  bool taken_ = false;
  JsonForm form_;
  Piece topic_, key_, value_;
  std::string bytes_;
  std::vector<HeaderPieces> headers_;
  std::vector<JsonPiece> json_;             // By the index of the pointer in them.
  std::shared_ptr<const JsonNeeds> needs_;  // What it was read with; null if nothing was needed.

 public:
  // The story of its attempts, for its dead letter.
  Instant began;  // The one under way, or the last; also one of which nothing was sent.
  Instant first_attempt;
  Instant last_attempt;
  std::uint32_t attempts = 0;
  unsigned last_status = 0;  // Of the last failed attempt; 0 where none was answered.
  std::string last_error;    // Why it failed.
  kafka::EarlierAttempts
      earlier;  // Those before it came to the dead letter topic it was read from.
};

}  // namespace einlass::app
