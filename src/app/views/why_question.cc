// Reads and writes the query of /v1/why.
#include <algorithm>
#include <charconv>
#include <map>

#include "app/views/why.h"
#include "config/address.h"

namespace einlass::app {
namespace {

constexpr char kUsage[] =
    "ask with ?topic=NAME&partition=NUMBER&offset=NUMBER for one record, or with ?key=TEXT for all "
    "records with that key";

// A plus is a space in a query.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return config::percent_decoded(plain);
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && number >= 0;
}

using Fields = std::map<std::string, std::string>;

std::variant<Fields, std::string> fields_of(std::string_view query) {
  Fields fields;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t mark = pair.find('=');
    const auto name = decoded(pair.substr(0, mark));
    const auto value =
        decoded(mark == std::string_view::npos ? std::string_view() : pair.substr(mark + 1));
    if (!name || !value) return "the query is not percent-encoded text";
    const bool known =
        *name == "topic" || *name == "partition" || *name == "offset" || *name == "key";
    if (!known) return "'" + *name + "' is not known; " + kUsage;
    if (!fields.emplace(*name, *value).second) return *name + " stands there twice";
  }
  return fields;
}

}  // namespace

std::variant<WhyQuestion, std::string> parse_why(std::string_view query) {
  const auto read = fields_of(query);
  if (const auto* wrong = std::get_if<std::string>(&read)) return *wrong;
  const Fields& fields = std::get<Fields>(read);
  WhyQuestion question;
  if (const auto key = fields.find("key"); key != fields.end()) {
    if (fields.size() > 1) return std::string("a key stands alone; ").append(kUsage);
    question.key = key->second;
    return question;
  }
  if (fields.size() != 3) return std::string(kUsage);
  question.topic = fields.at("topic");
  if (!read_number(fields.at("partition"), question.partition.value)) {
    return "partition: '" + fields.at("partition") + "' is not a partition's number";
  }
  if (!read_number(fields.at("offset"), question.offset.value)) {
    return "offset: '" + fields.at("offset") + "' is not an offset";
  }
  return question;
}

std::string why_query(const WhyQuestion& question) {
  if (question.key) return "key=" + config::percent_encoded(*question.key);
  return "topic=" + config::percent_encoded(question.topic) +
         "&partition=" + std::to_string(question.partition.value) +
         "&offset=" + std::to_string(question.offset.value);
}

}  // namespace einlass::app
