#include "config/tables/schema.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "config/model/reading.h"
#include "config/tables/options.h"

namespace einlass::config {
namespace {

using Json = nlohmann::ordered_json;

// Whatever the type is, a variable may stand for it.
constexpr const char* kVariable = R"(\$\{)";

Json section_of(const std::string& path);

std::string one_of(const std::vector<std::string_view>& words) {
  std::string pattern;
  for (const std::string_view word : words) {
    pattern += (pattern.empty() ? "" : "|") + std::string(word);
  }
  return pattern;
}

Json matching(const std::string& pattern) {
  return {{"type", "string"}, {"pattern", "(^(" + pattern + ")$)|" + kVariable}};
}

// YAML reads some texts as numbers and truths, and the gate takes them as they are written.
Json any_scalar() { return {{"type", {"string", "number", "boolean"}}}; }

Json either_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

Json whole_number(const Option& option) {
  Json number = {{"type", "integer"}};
  if (option.bounds) {
    number["minimum"] = option.bounds->first;
    number["maximum"] = option.bounds->second;
  }
  return number;
}

// A single value.
Json scalar_of(const Option& option) {
  constexpr const char* kTime = R"(0|[0-9]+(\.[0-9]+)?(us|ms|s|m|h|d))";
  switch (option.kind) {
    case OptionTraits::Kind::duration:
      return either_of(matching(kTime), {{"const", 0}});
    case OptionTraits::Kind::size:
      return either_of(matching("0|[0-9]+(B|KiB|MiB|GiB|kB|MB|GB)"), {{"const", 0}});
    case OptionTraits::Kind::rate:
      return matching(R"([0-9]+/([0-9]+(\.[0-9]+)?)?(us|ms|s|m|h|d))");
    case OptionTraits::Kind::share:
      return matching("[0-9]+%");
    case OptionTraits::Kind::number:
      return either_of(whole_number(option), matching("-?[0-9]+"));
    case OptionTraits::Kind::truth:
      return either_of({{"type", "boolean"}}, matching("true|false"));
    case OptionTraits::Kind::choice:
      return matching(one_of(option.choices));
    default:
      return any_scalar();
  }
}

Json value_of(const Option& option) {
  const std::string path = below(option.section, option.name);
  const auto list = [](Json items) -> Json {
    return {{"type", "array"}, {"items", std::move(items)}};
  };
  const auto map = [](Json values) -> Json {
    return {{"type", {"object", "null"}}, {"additionalProperties", std::move(values)}};
  };
  switch (option.kind) {
    case OptionTraits::Kind::section:
      return section_of(path);
    case OptionTraits::Kind::sections:
      return map(section_of(path + ".NAME"));
    case OptionTraits::Kind::map:
      return map(any_scalar());
    case OptionTraits::Kind::list_of_sections:
      return list(section_of(path + "[]"));
    case OptionTraits::Kind::list:
      return list(any_scalar());
    case OptionTraits::Kind::list_or_text:
      return either_of(list(any_scalar()), {{"type", "string"}});
    default:
      return scalar_of(option);
  }
}

// A section without any value is one with all defaults.
Json section_of(const std::string& path) {
  Json section = {{"type", {"object", "null"}}, {"additionalProperties", false}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const Option& option : all_options()) {
    if (option.section != path) continue;
    Json& value = properties[std::string(option.name)] = value_of(option);
    value["description"] = option.text;
    // A secret may stand in a file.
    const bool always = !option.advice.empty() && option.kind != OptionTraits::Kind::secret;
    if (always) required.push_back(option.name);
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
