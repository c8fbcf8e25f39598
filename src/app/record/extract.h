// What limits read from a record: its bucket keys, its cost; and its lane.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/contract/ids.h"
#include "units/id.h"

namespace einlass::app {

// So that what records bring cannot fill the memory.
inline constexpr std::size_t kLongestKey = 128;

// More than any limit of a configuration grants, so that a record of that cost never passes.
inline constexpr Permits kMostRecordCost{1'000'000'001};

// As buckets go by it: one that is longer than kLongestKey by `sha256-` and its hash in hex, which
// is then a view into `scratch`.
std::string_view bounded_key(std::string_view key, std::string& scratch);

struct Extracted {
  // One for each limit, in their order, as bounded_key() has it: empty where the limit has none and
  // where the record's could not be read.
  std::span<const std::string_view> keys;

  // Of the limits whose cost comes from the record, from 1 to kMostRecordCost; their default where
  // it could not be read. For each limit, and that of the last of them.
  std::span<const Permits> costs;
  Permits cost{1};

  // The first limit whose key or cost could not be read and that wants such a record in the dead
  // letter topic; null if there is none.
  const config::Limit* bad = nullptr;
  bool bad_is_cost = false;  // And not its key.
};

// What of the record could not be read, as a sentence for its dead letter; it has nothing of the
// record in it. REQUIRES: extracted.bad.
std::string bad_key_text(const Extracted& extracted);

// The record's key of that kind; none if it has none, which is not the same as an empty one. A view
// into the record or into `scratch`. REQUIRES: the record was read with a JSON pointer's value.
std::optional<std::string_view> key_of(const config::KeySource& source, const StoredRecord& record,
                                       std::string& scratch);

// Reads what the limits of one route want to know.
class RecordFields {
 public:
  // REQUIRES: the limits outlive it.
  explicit RecordFields(std::vector<const config::Limit*> limits = {});

  // Whether records differ at all: if not, read() gives the same for each.
  bool any() const { return any_; }

  // The keys are views into the record, or into this until the next call. REQUIRES: the record was
  // read with what the limits need of its value as JSON.
  Extracted read(const StoredRecord& record);

 private:
  std::vector<const config::Limit*> limits_;
  bool any_ = false;
  std::vector<std::string_view> keys_;
  std::vector<Permits> costs_;
  std::vector<std::string> scratch_;  // By the index of the limit.
};

// The record's lane where a route is ordered by key; none for a record without a key.
std::optional<core::LaneKey> lane_key(const kafka::Message& message);

// The value of the record's header. None if it has no such header, a null in it, or several with
// different values: who reads the record after us may take another one of them than we do.
std::optional<std::string_view> header_value(const StoredRecord& record, std::string_view name);

}  // namespace einlass::app
