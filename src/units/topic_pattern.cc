#include "units/topic_pattern.h"

#include <regex.h>

#include <cctype>
#include <cstddef>

#include "units/check.h"
#include "units/kafka_name.h"

namespace einlass {
namespace {

// Counted repetitions take memory by the product of their counts, and references back time without
// a bound; names of topics need neither.
bool has_costly_parts(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') return true;
    if (text[i] != '\\' || i + 1 == text.size()) continue;
    if (std::isdigit(static_cast<unsigned char>(text[++i])) != 0) return true;
  }
  return false;
}

}  // namespace

struct TopicPattern::Compiled {
  explicit Compiled(const std::string& text)
      : error(::regcomp(&regex, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  ~Compiled() {
    if (error == 0) ::regfree(&regex);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  ::regex_t regex;
  const int error;
};

TopicPattern::TopicPattern(const std::string& text)
    : compiled_(std::make_shared<const Compiled>(text)) {
  CHECK(compiled_->error == 0);
}

bool TopicPattern::fits(const std::string& topic) const {
  return ::regexec(&compiled_->regex, topic.c_str(), 0, nullptr, 0) == 0;
}

std::string TopicPattern::refusal(const std::string& text) {
  if (!is_one(text)) return "does not begin with ^";
  if (text.size() > kLongestKafkaName) return "is longer than 249 characters";
  if (text.find('\0') != text.npos) return "holds a NUL";
  if (has_costly_parts(text)) {
    return "holds { or a reference as \\1, which patterns of topics cannot; write the part out";
  }
  const Compiled compiled(text);
  if (compiled.error == 0) return "";
  char reason[128] = "";
  ::regerror(compiled.error, &compiled.regex, reason, sizeof reason);
  return std::string("is no regular expression (") + reason + ")";
}

}  // namespace einlass
