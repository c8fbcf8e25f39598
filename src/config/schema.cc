#include "config/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace einlass::config {
namespace {

using Json = nlohmann::ordered_json;

// Whatever the type is, a variable may stand for it.
constexpr const char* kVariable = R"(\$\{)";

Json section_of(const std::string& path);

Json matching(const std::string& pattern) {
  return {{"type", "string"}, {"pattern", "(^(" + pattern + ")$)|" + kVariable}};
}

// YAML reads some texts as numbers and truths, and the gate takes them as they are written.
Json any_scalar() { return {{"type", {"string", "number", "boolean"}}}; }

Json either_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

// "a, b or c", each perhaps between backticks: its words; empty if it is no such list.
std::vector<std::string> choices_in(std::string_view type) {
  std::vector<std::string> words;
  std::string word;
  std::string text(type);
  if (const std::size_t last = text.find(" or "); last != text.npos) text.replace(last, 4, ", ");
  text += ", ";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(", ", at);
    word = text.substr(at, end - at);
    if (word.size() > 2 && word.front() == '`') word = word.substr(1, word.size() - 2);
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || c == '_';
    });
    if (!plain) return {};
    words.push_back(word);
    at = end + 2;
  }
  return words.size() > 1 ? words : std::vector<std::string>{};
}

// A single value, by the words in which the table tells its type.
Json scalar_of(std::string_view type) {
  constexpr const char* kTime = R"([0-9]+(\.[0-9]+)?(us|ms|s|m|h|d))";
  if (type == "duration") return either_of(matching(kTime), {{"const", 0}});
  if (type == "size") {
    return either_of(matching("[0-9]+(B|KiB|MiB|GiB|kB|MB|GB)"), {{"const", 0}});
  }
  if (type == "rate") return matching(R"([0-9]+/([0-9]+(\.[0-9]+)?)?(us|ms|s|m|h|d))");
  if (type == "share") return matching("[0-9]+%");
  if (type == "whole number") return either_of({{"type", "integer"}}, matching("-?[0-9]+"));
  if (type == "true or false") return either_of({{"type", "boolean"}}, matching("true|false"));
  const std::vector<std::string> choices = choices_in(type);
  if (choices.empty()) return any_scalar();
  std::string pattern;
  for (const std::string& choice : choices) pattern += (pattern.empty() ? "" : "|") + choice;
  return matching(pattern);
}

Json list_of(const std::string& path, std::string_view type) {
  if (path == "routes" || type == "list of rules") {
    return {{"type", "array"}, {"items", section_of(path + "[]")}};
  }
  Json list = {{"type", "array"}, {"items", any_scalar()}};
  return type == "list of HOST:PORT" ? either_of(std::move(list), {{"type", "string"}}) : list;
}

Json map_of(const std::string& path) {
  const bool of_sections = path == "limits" || path == "targets" || path == "shares";
  return {{"type", "object"},
          {"additionalProperties", of_sections ? section_of(path + ".NAME") : any_scalar()}};
}

Json value_of(const Option& option) {
  std::string path(option.section);
  path += (path.empty() ? "" : ".") + std::string(option.name);
  Json value;
  if (option.type == "section") {
    value = section_of(path);
  } else if (option.type == "map") {
    value = map_of(path);
  } else if (option.type == "list" || option.type.starts_with("list of")) {
    value = list_of(path, option.type);
  } else {
    value = scalar_of(option.type);
  }
  value["description"] = option.text;
  return value;
}

// Some are only required beside others, and a secret may stand in a file.
bool always_required(const Option& option) {
  if (option.default_value != "required" || option.type == "secret") return false;
  if (option.section == "limits.NAME") return option.name == "algorithm";
  return option.section != "targets.NAME.http";
}

// A section without any value is one with all defaults.
Json section_of(const std::string& path) {
  Json section = {{"type", {"object", "null"}}, {"additionalProperties", false}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const Option& option : all_options()) {
    if (option.section != path) continue;
    properties[std::string(option.name)] = value_of(option);
    if (always_required(option)) required.push_back(option.name);
  }
  section["properties"] = std::move(properties);
  if (!required.empty()) section["required"] = std::move(required);
  return section;
}

}  // namespace

std::string json_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Einlass: a gate's configuration"}};
  schema.update(section_of(""));
  return schema.dump(2) + "\n";
}

}  // namespace einlass::config
