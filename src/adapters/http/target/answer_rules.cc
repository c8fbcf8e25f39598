#include "adapters/http/target/answer_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "adapters/http/target/batch_answer.h"

namespace einlass::http {
namespace {

using Json = nlohmann::json;

// A larger body is not looked into: what it means is said by its status.
constexpr std::size_t kMostJudged = 64 * 1024;

// So that a secret that is sent back is whole, and found.
constexpr std::size_t kKeptForExcerpt = 16 * 1024;

constexpr std::size_t kMostShown = 200;

// A text, a number or a truth as it is written; nothing else is a value.
std::optional<std::string> written(const Json& value) {
  if (value.is_structured() || value.is_null()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Null if the pointer leads nowhere; the library throws for some that lead into arrays.
const Json* find(const Json& document, const Json::json_pointer& pointer) {
  try {
    return document.contains(pointer) ? &document.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

std::string printable(std::string_view text) {
  std::string line(text.substr(0, kMostShown));
  for (char& c : line) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    if (blank) c = ' ';
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

struct AnswerRules::BodyRule {
  Json::json_pointer pointer;
  std::string equals;
  core::Outcome outcome;
};

AnswerRules::AnswerRules(const AnswerOptions& options, bool of_batches) : of_batches_{of_batches} {
  for (std::size_t status = 0; status < kStatuses; ++status) {
    by_status_[status] = outcome_of(static_cast<unsigned>(status));
  }
  for (const StatusRule& rule : options.by_status) {
    for (unsigned status = rule.first; status <= rule.last && status < kStatuses; ++status) {
      by_status_[status] = rule.outcome;
    }
  }
  for (const AnswerOptions::BodyRule& rule : options.by_body) {
    try {
      by_body_.push_back({Json::json_pointer(rule.pointer), rule.equals, rule.outcome});
    } catch (const Json::exception&) {
      throw std::runtime_error("'" + rule.pointer + "' is not a JSON pointer");
    }
  }
  const std::size_t kept = by_body_.empty() ? kKeptForExcerpt : kMostJudged + 1;
  const bool of_all = !by_body_.empty() || !options.by_status.empty();
  kept_ = {.of_2xx = of_all ? kept : 0,
           .of_others = kept,
           .decides_2xx = !by_body_.empty() || of_batches};
  if (!of_batches) return;
  kept_.of_2xx = std::max(kept_.of_2xx, kMostBatchAnswer);
  kept_.of_others = std::max(kept_.of_others, kMostBatchAnswer);  // Some may accept, too.
}

AnswerRules::~AnswerRules() = default;

core::Outcome AnswerRules::outcome(const Answer& answer) const {
  const core::Outcome standard =
      answer.status < kStatuses ? by_status_[answer.status] : outcome_of(answer.status);
  if (by_body_.empty() || answer.body.empty() || answer.body.size() > kMostJudged) return standard;
  const Json document = Json::parse(answer.body, nullptr, false);
  if (document.is_discarded()) return standard;
  for (const BodyRule& rule : by_body_) {
    const Json* const found = find(document, rule.pointer);
    if (found != nullptr && written(*found) == rule.equals) return rule.outcome;
  }
  return standard;
}

// Nothing longer begins with a whole list or object; with a number it may.
bool AnswerRules::may_be_cut(const Answer& answer) const {
  if (!answer.ends_with_connection || (by_body_.empty() && !of_batches_)) return false;
  if (answer.body.size() > kMostJudged) return false;
  const Json document = Json::parse(answer.body, nullptr, false);
  return document.is_discarded() || document.is_number();
}

std::string excerpt(std::string_view body, const SecretMask& mask) {
  return printable(mask.hidden(body, kMostShown));
}

std::string shown_redirect(std::string_view location, const SecretMask& mask) {
  return excerpt(location.substr(0, location.find('?')), mask);
}

}  // namespace einlass::http
