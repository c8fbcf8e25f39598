#include "config/answers.h"

#include <algorithm>

#include "config/decode.h"
#include "config/names.h"

namespace einlass::config {
namespace {

constexpr std::size_t kMostStatuses = 100;
constexpr std::size_t kMostBodyRules = 100;

constexpr std::string_view kMeanings[] = {"accept", "retry", "refuse"};

bool is_class(const StatusMeans& rule) { return rule.first != rule.last; }

// A rule of the same breadth for the same status; null if there is none.
const StatusMeans* clash(const std::vector<StatusMeans>& rules, const StatusMeans& one) {
  for (const StatusMeans& other : rules) {
    if (other.first == one.first && other.last == one.last) return &other;
  }
  return nullptr;
}

void decode_statuses(Section& section, AnswerMeans means, std::vector<StatusMeans>& rules) {
  const std::string_view name = kMeanings[static_cast<std::size_t>(means)];
  const std::string path = section.path_of(name);
  Reading& reading = section.reading();
  const auto items = list_items(reading, section.find(name), path, kMostStatuses);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto scalar = reading.scalar(*items[i], path + "[" + std::to_string(i) + "]");
    if (!scalar) continue;
    const auto parsed = parse_status(scalar->text);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
      reading.wrong(*scalar, refusal->text);
      continue;
    }
    StatusMeans rule = std::get<StatusMeans>(parsed);
    rule.means = means;
    if (const StatusMeans* other = clash(rules, rule)) {
      const std::string_view there = kMeanings[static_cast<std::size_t>(other->means)];
      reading.wrong(*scalar, "stands under " + std::string(there) + " already; keep one of them");
    }
    rules.push_back(rule);
  }
}

Parsed<std::string> parse_pointer(const Scalar& scalar) {
  const std::string& text = scalar.text;
  bool sound = text.starts_with('/');
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1');
    sound = sound && (text[i] != '~' || escape);
  }
  if (!sound) return Refusal{"is not a JSON pointer; write /error/code"};
  return parse_text(scalar);
}

// Any text: a plain true or 7 means what stands so in the JSON.
Parsed<std::string> parse_equals(const Scalar& scalar) { return scalar.text; }

void decode_body_rule(Section& section, std::vector<BodyMeans>& rules) {
  section.refuse_unknown_keys();
  BodyMeans& rule = rules.emplace_back();
  section.require("json", "write json: /error/code");
  section.read("json", rule.pointer, parse_pointer);
  section.require("equals", "write what must stand there");
  section.read("equals", rule.equals, parse_equals);
  section.require("then", "write accept, retry or refuse");
  std::size_t meaning = 0;
  const auto parse = [](const Scalar& s) {
    return parse_choice(s.text, {std::begin(kMeanings), std::end(kMeanings)});
  };
  if (section.read("then", meaning, parse)) rule.means = static_cast<AnswerMeans>(meaning);
}

}  // namespace

Parsed<StatusMeans> parse_status(const std::string& text) {
  const Refusal refusal{"is not a status; write 202, or 2xx for all of them, from 200 to 599"};
  if (text.size() != 3 || text[0] < '2' || text[0] > '5') return refusal;
  const int hundred = (text[0] - '0') * 100;
  if (text.substr(1) == "xx") return StatusMeans{hundred, hundred + 99, {}};
  const auto number = parse_whole(text, {200, 599});
  if (refused(number)) return refusal;
  const int status = static_cast<int>(std::get<std::int64_t>(number));
  return StatusMeans{status, status, {}};
}

std::string to_text(const StatusMeans& rule) {
  if (is_class(rule)) return std::to_string(rule.first / 100) + "xx";
  return std::to_string(rule.first);
}

void decode_http_answers(Section& section, HttpTarget& http) {
  http.accept_written = section.has("accept");
  for (const AnswerMeans means :
       {AnswerMeans::accepted, AnswerMeans::retry, AnswerMeans::refused}) {
    decode_statuses(section, means, http.by_status);
  }
  // A single status holds before all of its hundred.
  std::stable_partition(http.by_status.begin(), http.by_status.end(), is_class);
  const std::string path = section.path_of("by_body");
  const auto items = list_items(section.reading(), section.find("by_body"), path, kMostBodyRules);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Section rule(section.reading(), items[i], path + "[" + std::to_string(i) + "]",
                 "targets.NAME.http.by_body[]");
    decode_body_rule(rule, http.by_body);
  }
}

}  // namespace einlass::config
