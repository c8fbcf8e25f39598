#include "config/text/yaml_text.h"

#include <algorithm>

#include "config/text/values.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

bool is_plain(std::string_view text) {
  // A colon only after a letter: 1:30 is ninety to some readers.
  const std::string_view kMarks = !text.empty() && is_letter(text.front()) ? "._/+-:" : "._/+-";
  const bool safe = !text.empty() && (is_letter(text.front()) || is_digit(text.front())) &&
                    std::all_of(text.begin(), text.end(), [&](char c) {
                      return is_letter(c) || is_digit(c) || kMarks.find(c) != kMarks.npos;
                    });
  return safe && text.back() != ':' && !is_ambiguous(text) && text != "null" && text != "Null" &&
         text != "NULL" && text != "y" && text != "n" && text != "Y" && text != "N";
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      append_escaped(result, "\\x", c);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string yaml_key(std::string_view text) {
  return is_plain(text) ? std::string(text) : in_quotes(text);
}

std::string yaml_value(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '$' ? "$$" : std::string(1, c);
  return yaml_key(escaped);
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) {
    if (result.size() > 1) result += ", ";
    result += yaml_value(text);
  }
  return result + "]";
}

}  // namespace einlass::config
