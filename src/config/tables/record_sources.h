// What a limit reads from a record: the key of its bucket, and what the record takes.
#pragma once

#include <cstdint>
#include <string>

#include "config/model/config.h"
#include "config/model/reading.h"
#include "config/text/values.h"

namespace einlass::config {

Parsed<KeySource> parse_key(const Scalar& scalar);
// Of the record alone: a header, or a JSON pointer into its value.
Parsed<KeySource> parse_record_field(const Scalar& scalar);

// The most that one record may take in a configuration.
inline constexpr std::int64_t kMostCost = 1'000'000'000;

struct Cost {
  CostSource source;
  std::int64_t number = 1;  // Of a source of that kind.
};

Parsed<Cost> parse_cost(const Scalar& scalar);

// The way back.
std::string to_text(const KeySource& key);
std::string to_text(const CostSource& cost, Permits number);

}  // namespace einlass::config
