#include "app/json/json_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/json/json_oddities.h"
#include "text/number.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

namespace dom = simdjson::dom;

static_assert(JsonReader::kPadding >= simdjson::SIMDJSON_PADDING);

// As large as Kafka's records commonly may be; what a larger one took is given back.
constexpr std::size_t kLargestKept = 1024 * 1024;

// Of several members with that name the last one counts.
std::optional<dom::element> member_of(const dom::object& object, std::string_view name) {
  std::optional<dom::element> found;
  for (const dom::key_value_pair& member : object) {
    if (member.key == name) found = member.value;
  }
  return found;
}

std::optional<dom::element> element_of(const dom::array& list, const std::string& step) {
  const auto index = whole_number<std::size_t>(step);
  const bool odd_zero = step.size() > 1 && step.front() == '0';
  if (!index || odd_zero) return std::nullopt;
  dom::element found;
  if (list.at(*index).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<dom::element> step_into(const dom::element& at, const std::string& step) {
  if (at.is_object()) return member_of(at.get_object().value_unsafe(), step);
  if (at.is_array()) return element_of(at.get_array().value_unsafe(), step);
  return std::nullopt;
}

template <class Number>
std::string_view digits_of(Number number, std::string& text) {
  text = std::to_string(number);
  return text;
}

}  // namespace

JsonPointer::JsonPointer(std::string text) : text_(std::move(text)) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view raw = rest.substr(0, rest.find('/'));
    rest.remove_prefix(raw.size());
    std::string& step = steps_.emplace_back();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool escape = raw[i] == '~' && i + 1 < raw.size();
      step += escape ? (raw[++i] == '0' ? '~' : '/') : raw[i];
    }
  }
}

struct JsonReader::Parsed {
  dom::parser parser;
  dom::element root;
  simdjson::error_code error = simdjson::EMPTY;
};

JsonReader::JsonReader() : parsed_(std::make_unique<Parsed>()) {}
JsonReader::~JsonReader() = default;

// Whether it is JSON as the parser takes it.
bool JsonReader::parse(std::string_view text) {
  constexpr bool kCopyFirst = false;  // The room behind it is there.
  parsed_->error = parsed_->parser.parse(text.data(), text.size(), kCopyFirst).get(parsed_->root);
  if (parsed_->error == simdjson::MEMALLOC) throw std::bad_alloc();
  return parsed_->error == simdjson::SUCCESS;
}

JsonForm JsonReader::read(std::string_view text) {
  const bool marked = text.starts_with(kByteOrderMark);
  if (marked) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with(kByteOrderMark)) return {};
  JsonForm form{true, true};
  const bool slow = has_many_slow_numbers(text);
  if (slow || !parse(text)) form = read_oddities(text, !slow);
  if (marked) form.listable = false;
  return form;
}

// What is JSON though the parser has refused it, or would take too long for it. This is rare, and
// may take three times as long as what is plain.
JsonForm JsonReader::read_oddities(std::string_view text, bool refused) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const JsonOddities odd = write_without_oddities(text.substr(0, end), spare_);
  const bool too_deep = parsed_->error == simdjson::DEPTH_ERROR;
  if (refused && end == text.size() && !odd.any() && !too_deep) return {};
  const std::size_t size = spare_.size();
  spare_.append(kPadding, '\0');
  // The parser refuses what reaches its depth, not only what goes beyond it.
  const std::size_t depth = std::max(odd.opened + 1, simdjson::DEFAULT_MAX_DEPTH);
  if (parsed_->parser.allocate(size, depth) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
  if (!parse(std::string_view(spare_).substr(0, size))) return {};
  return {.readable = !odd.half_pairs, .listable = end == text.size()};
}

JsonScalar JsonReader::find(const JsonPointer& pointer) {
  using Kind = JsonScalar::Kind;
  dom::element at = parsed_->root;
  for (const std::string& step : pointer.steps()) {
    const auto next = step_into(at, step);
    if (!next) return {};
    at = *next;
  }
  switch (at.type()) {
    case dom::element_type::STRING:
      return {Kind::text, at.get_string().value_unsafe()};
    case dom::element_type::BOOL:
      return {Kind::truth, at.get_bool().value_unsafe() ? "true" : "false"};
    case dom::element_type::INT64:
      return {Kind::number, digits_of(at.get_int64().value_unsafe(), number_)};
    case dom::element_type::UINT64:
      return {Kind::number, digits_of(at.get_uint64().value_unsafe(), number_)};
    case dom::element_type::DOUBLE:  // Keys in Redis are written so since the first version.
      number_ = nlohmann::json(at.get_double().value_unsafe()).dump();
      return {Kind::number, number_};
    default:
      return {};
  }
}

void JsonReader::forget() {
  const bool large = parsed_->parser.capacity() > kLargestKept ||
                     parsed_->parser.max_depth() > simdjson::DEFAULT_MAX_DEPTH;
  if (large) parsed_ = std::make_unique<Parsed>();
  if (spare_.capacity() > kLargestKept) std::string().swap(spare_);
}

}  // namespace einlass::app
