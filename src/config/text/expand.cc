#include "config/text/expand.h"

#include <algorithm>
#include <optional>

#include "config/text/plain_text.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

constexpr std::size_t kLongestMessage = 200;
constexpr std::string_view kForms = "write ${NAME}, ${NAME:-default} or ${NAME:?message}";

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return is_letter(c) || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || is_digit(c); });
}

// What stands between the braces: a name, and perhaps `:-` or `:?` with more.
std::variant<Expanded, ExpandMistake> look_up(std::string_view inside,
                                              const Environment& environment) {
  const std::size_t colon = inside.find(':');
  const std::string_view name = inside.substr(0, colon);
  const char form = colon == inside.npos ? '=' : colon + 1 < inside.size() ? inside[colon + 1] : 0;
  const std::string shown = clipped(name, 60);
  if (!is_name(name) || (form != '=' && form != '-' && form != '?')) {
    return ExpandMistake{"a ${...} that names no variable; " + std::string(kForms)};
  }
  if (inside.find("${") != inside.npos) {
    return ExpandMistake{"a ${...} within another one, which is not looked into; " +
                         std::string(kForms)};
  }
  const std::optional<std::string> value = environment(std::string(name));
  const bool there = value && (form == '=' || !value->empty());
  if (there && value->find_first_of("\n\r") != std::string::npos) {
    return ExpandMistake{"the variable " + shown +
                         " holds more than one line, which is not allowed"};
  }
  if (there) return Expanded{*value, true};
  // With its dollars as anywhere else; variables there are none in it.
  if (form == '-') return expand(inside.substr(colon + 2), environment);
  if (form == '?') {
    return ExpandMistake{"the variable " + shown +
                         " is not set: " + clipped(inside.substr(colon + 2), kLongestMessage)};
  }
  return ExpandMistake{"the variable " + shown + " is not set; set it, or write ${" + shown +
                       ":-default}"};
}

}  // namespace

std::variant<Expanded, ExpandMistake> expand(std::string_view text,
                                             const Environment& environment) {
  Expanded result;
  for (std::size_t dollar; (dollar = text.find('$')) != text.npos;) {
    result.text += text.substr(0, dollar);
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      result.text += '$';
      text.remove_prefix(1);
      continue;
    }
    if (!text.starts_with('{')) {
      return ExpandMistake{"a lone $; write $$ for a dollar, or ${NAME} for a variable"};
    }
    const std::size_t end = text.find('}');
    if (end == text.npos) return ExpandMistake{"${ without its }; " + std::string(kForms)};
    auto found = look_up(text.substr(1, end - 1), environment);
    if (std::holds_alternative<ExpandMistake>(found)) return found;
    result.text += std::get<Expanded>(found).text;
    result.from_variable |= std::get<Expanded>(found).from_variable;
    if (result.text.size() > kMostValueBytes) break;
    text.remove_prefix(end + 1);
  }
  result.text += text;
  if (result.text.size() > kMostValueBytes) {
    return ExpandMistake{"longer than 64KiB once its variables are filled in"};
  }
  return result;
}

}  // namespace einlass::config
