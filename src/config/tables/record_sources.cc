#include "config/tables/record_sources.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "config/model/names.h"
#include "config/text/suggest.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kCost{1, kMostCost};

// header:NAME or json:/pointer; none if the text is neither.
template <class Source>
std::optional<Parsed<Source>> parse_field(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string name(colon == text.npos ? "" : text.substr(colon + 1));
  if (text.starts_with("header:")) {
    if (name.empty()) return Refusal{"names no header; write header:NAME"};
    return Source{Source::Kind::header, name};
  }
  if (text.starts_with("json:")) {
    if (is_json_pointer(name)) return Source{Source::Kind::json, name};
    return Refusal{"is not a JSON pointer; write json:/field, or json:/outer/inner"};
  }
  return std::nullopt;
}

// The way back; empty for one that is neither.
template <class Source>
std::string field_text(const Source& source) {
  if (source.kind == Source::Kind::header) return "header:" + source.name;
  return source.kind == Source::Kind::json ? "json:" + source.name : "";
}

// As KeySource::Kind has them.
const std::vector<std::string_view> kKeys = {"none", "record_key", "topic", "partition"};

}  // namespace

Parsed<KeySource> parse_key(const Scalar& scalar) {
  const auto key = std::find(kKeys.begin(), kKeys.end(), scalar.text);
  if (key != kKeys.end()) return KeySource{static_cast<KeySource::Kind>(key - kKeys.begin()), ""};
  if (auto field = parse_field<KeySource>(scalar.text)) return *field;
  return Refusal{"is not a key; " +
                 suggestion(scalar.text, kKeys)
                     .value_or("write none, record_key, topic, partition, header:NAME or "
                               "json:/pointer")};
}

Parsed<KeySource> parse_record_field(const Scalar& scalar) {
  if (auto field = parse_field<KeySource>(scalar.text)) return *field;
  return Refusal{"is no field of a record; write header:NAME or json:/pointer"};
}

Parsed<Cost> parse_cost(const Scalar& scalar) {
  const std::string_view text = scalar.text;
  if (text == "bytes") return Cost{{CostSource::Kind::bytes, ""}};
  if (const auto field = parse_field<CostSource>(text)) {
    if (refused(*field)) return std::get<Refusal>(*field);
    return Cost{std::get<CostSource>(*field)};
  }
  if (!text.empty() && (text.front() < '0' || text.front() > '9')) {
    return Refusal{"is not a cost; " +
                   suggestion(text, {"bytes"})
                       .value_or("write a whole number, header:NAME, json:/pointer or bytes")};
  }
  const auto number = parse_whole(text, kCost);
  if (refused(number)) return std::get<Refusal>(number);
  return Cost{{}, std::get<std::int64_t>(number)};
}

std::string to_text(const KeySource& key) {
  const std::string field = field_text(key);
  return field.empty() ? std::string(kKeys[static_cast<std::size_t>(key.kind)]) : field;
}

std::string to_text(const CostSource& cost, Permits number) {
  if (cost.kind == CostSource::Kind::bytes) return "bytes";
  const std::string field = field_text(cost);
  return field.empty() ? std::to_string(number.value) : field;
}

}  // namespace einlass::config
