#include "app/record/extract.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "app/record/same_number.h"
#include "config/tables/record_sources.h"
#include "net/digest.h"
#include "text/ascii.h"
#include "units/keyed_hash.h"

namespace einlass::app {
namespace {

using Kind = config::KeySource::Kind;
using CostKind = config::CostSource::Kind;

// Already as same_number() would have it.
bool is_plain(std::string_view number) {
  return number.size() <= kMostPlainDigits &&
         number.find_first_of(".eE-") == std::string_view::npos;
}

// Digits and nothing else, for a number of at least 1.
std::optional<Permits> decimal(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::result_out_of_range) return kMostRecordCost;
  if (number < 1) return std::nullopt;
  return std::min(Permits{number}, kMostRecordCost);
}

// A number that is whole, however it is written; or digits as a text.
std::optional<Permits> json_cost(const JsonScalar& found) {
  if (found.kind == JsonScalar::Kind::text) return decimal(found.text);
  if (found.kind != JsonScalar::Kind::number) return std::nullopt;
  if (const auto whole = decimal(found.text)) return whole;
  double number = 0;
  std::from_chars(found.text.data(), found.text.data() + found.text.size(), number);
  if (!(number >= 1)) return std::nullopt;
  if (number >= static_cast<double>(kMostRecordCost.value)) return kMostRecordCost;
  const auto whole = static_cast<std::int64_t>(number);
  if (static_cast<double>(whole) != number) return std::nullopt;
  return Permits{whole};
}

// What the record takes, where that comes from the record; none if it cannot be read.
std::optional<Permits> find_cost(const config::CostSource& source, const StoredRecord& record) {
  switch (source.kind) {
    case CostKind::number:
      return Permits{1};
    case CostKind::header: {
      const auto text = header_value(record, source.name);
      return text ? decimal(*text) : std::nullopt;
    }
    case CostKind::json:
      return json_cost(record.json(source.name));
    case CostKind::bytes: {
      const std::size_t size = record.value() ? record.value()->size() : 0;
      return Permits{std::max<std::int64_t>(1, static_cast<std::int64_t>(size))};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view bounded_key(std::string_view key, std::string& scratch) {
  if (key.size() <= kLongestKey) return key;
  scratch = "sha256-" + net::sha256_hex(key);
  return scratch;
}

std::optional<std::string_view> key_of(const config::KeySource& source, const StoredRecord& record,
                                       std::string& scratch) {
  switch (source.kind) {
    case Kind::none:
      return std::string_view{};
    case Kind::record_key:
      return record.key();
    case Kind::topic:
      return record.topic();
    case Kind::partition:
      scratch.assign(record.topic()).append("-").append(std::to_string(record.number.value));
      return scratch;
    case Kind::header:
      return header_value(record, source.name);
    case Kind::json: {
      const JsonScalar found = record.json(source.name);
      if (found.kind == JsonScalar::Kind::none) return std::nullopt;
      if (found.kind != JsonScalar::Kind::number || is_plain(found.text)) return found.text;
      scratch = same_number(found.text);
      return scratch;
    }
  }
  return std::nullopt;
}

RecordFields::RecordFields(std::vector<const config::Limit*> limits)
    : limits_(std::move(limits)), scratch_(limits_.size()) {
  for (const config::Limit* limit : limits_) {
    any_ |= limit->key.kind != Kind::none || limit->cost.kind != CostKind::number;
  }
}

Extracted RecordFields::read(const StoredRecord& record) {
  Extracted result;
  keys_.clear();
  costs_.assign(limits_.size(), Permits{1});
  const auto bad = [&](const config::Limit& limit, bool is_cost) {
    if (limit.bad_key != config::BadKey::dead_letter || result.bad != nullptr) return;
    result.bad = &limit;
    result.bad_is_cost = is_cost;
  };
  for (std::size_t index = 0; index < limits_.size(); ++index) {
    const config::Limit& limit = *limits_[index];
    const auto key = key_of(limit.key, record, scratch_[index]);
    if (!key) bad(limit, false);
    keys_.push_back(bounded_key(key.value_or(std::string_view{}), scratch_[index]));
    if (limit.cost.kind == CostKind::number) continue;
    const auto cost = find_cost(limit.cost, record);
    if (!cost) bad(limit, true);
    result.cost = costs_[index] = cost.value_or(limit.default_cost);
  }
  result.keys = keys_;
  result.costs = costs_;
  return result;
}

std::string bad_key_text(const Extracted& extracted) {
  const config::Limit& limit = *extracted.bad;
  return "limit " + limit.limit.name + ": " +
         (extracted.bad_is_cost ? "no cost at " + config::to_text(limit.cost, {})
                                : "no key at " + config::to_text(limit.key));
}

std::optional<std::string_view> header_value(const StoredRecord& record, std::string_view name) {
  std::optional<std::string_view> found;
  bool any = false;
  for (std::size_t i = 0; i < record.header_count(); ++i) {
    const kafka::Header header = record.header(i);
    if (!same_name(header.name, name)) continue;
    if (any && header.value != found) return std::nullopt;
    found = header.value;
    any = true;
  }
  return found;
}

std::optional<core::LaneKey> lane_key(const kafka::Message& message) {
  if (!message.key) return std::nullopt;
  return core::LaneKey{keyed_hash(*message.key)};
}

}  // namespace einlass::app
