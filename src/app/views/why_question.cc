// Reads and writes the query of /v1/why.
#include "app/views/why.h"
#include "config/model/address.h"
#include "config/model/query.h"
#include "text/number.h"

namespace einlass::app {
namespace {

constexpr char kUsage[] =
    "ask with ?topic=NAME&partition=NUMBER&offset=NUMBER for one record, or with ?key=TEXT for all "
    "records with that key";

template <class Number>
bool read_number(const std::string& text, Number& number) {
  number = whole_number<Number>(text).value_or(-1);
  return number >= 0;
}

}  // namespace

std::variant<WhyQuestion, std::string> parse_why(std::string_view query) {
  const auto read = config::parse_query(query, {"topic", "partition", "offset", "key"}, kUsage);
  if (const auto* wrong = std::get_if<std::string>(&read)) return *wrong;
  const auto& fields = std::get<config::QueryFields>(read);
  if (const auto key = fields.find("key"); key != fields.end()) {
    if (fields.size() > 1) return std::string("a key stands alone; ").append(kUsage);
    return WhyQuestion{{}, {}, {}, key->second};
  }
  if (fields.size() != 3) return std::string(kUsage);
  WhyQuestion question;
  question.topic = fields.at("topic");
  const std::string& partition = fields.at("partition");
  const std::string& offset = fields.at("offset");
  if (!read_number(partition, question.partition.value)) {
    return "partition: '" + partition + "' is not a partition's number";
  }
  if (!read_number(offset, question.offset.value)) {
    return "offset: '" + offset + "' is not an offset";
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
