// What the configuration wants out of a record: where it stands, and what it is to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace einlass::config {

// Where a limit's key comes from.
struct KeySource {
  enum class Kind { none, record_key, topic, partition, header, json } kind = Kind::none;
  std::string name;  // Of the header, or the JSON pointer.
  bool operator==(const KeySource&) const = default;
};

// What one record takes.
struct CostSource {
  // A number is limits::Limit::cost, the same for all records.
  enum class Kind { number, header, json, bytes } kind = Kind::number;
  std::string name;  // Of the header, or the JSON pointer.
  bool operator==(const CostSource&) const = default;
};

// What a record must have for its route to deliver it. One of the four is written.
struct Condition {
  KeySource by;
  std::string equals;
  std::vector<std::string> in, not_in;
  std::optional<bool> exists;
  bool operator==(const Condition&) const = default;
};

}  // namespace einlass::config
