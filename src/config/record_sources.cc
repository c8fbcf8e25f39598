#include "config/record_sources.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "config/suggest.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kCost{1, kMostCost};

// RFC 6901: each part begins with a slash; a tilde is written ~0 and a slash ~1.
bool is_json_pointer(std::string_view text) {
  if (!text.starts_with('/')) return false;
  for (std::size_t at = 0; (at = text.find('~', at)) != text.npos; ++at) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

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

}  // namespace

Parsed<KeySource> parse_key(const Scalar& scalar) {
  const std::string_view text = scalar.text;
  static const std::vector<std::string_view> kKinds = {"none", "record_key", "topic", "partition"};
  const auto kind = std::find(kKinds.begin(), kKinds.end(), text);
  if (kind != kKinds.end()) {
    return KeySource{static_cast<KeySource::Kind>(kind - kKinds.begin()), ""};
  }
  if (auto field = parse_field<KeySource>(text)) return *field;
  return Refusal{"is not a key; " +
                 suggestion(text, kKinds)
                     .value_or("write none, record_key, topic, partition, header:NAME or "
                               "json:/pointer")};
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
  switch (key.kind) {
    case KeySource::Kind::none:
      return "none";
    case KeySource::Kind::record_key:
      return "record_key";
    case KeySource::Kind::topic:
      return "topic";
    case KeySource::Kind::partition:
      return "partition";
    case KeySource::Kind::header:
      return "header:" + key.name;
    case KeySource::Kind::json:
      return "json:" + key.name;
  }
  return "";
}

std::string to_text(const CostSource& cost, Permits number) {
  switch (cost.kind) {
    case CostSource::Kind::number:
      return std::to_string(number.value);
    case CostSource::Kind::header:
      return "header:" + cost.name;
    case CostSource::Kind::json:
      return "json:" + cost.name;
    case CostSource::Kind::bytes:
      return "bytes";
  }
  return "";
}

}  // namespace einlass::config
