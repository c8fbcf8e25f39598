// The table of options against everything else that knows options.
#include "config/options.h"

#include <yaml-cpp/yaml.h>

#include "config/print_config.h"
#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

YAML::Node printed(const std::string& text) {
  const auto result = parse_config(text, "F", test_environment);
  return YAML::Load(print_config(std::get<Config>(result)));
}

// The section of the table within a printed configuration.
YAML::Node section_of(YAML::Node node, std::string_view section) {
  while (!section.empty()) {
    const std::string name(section.substr(0, section.find('.')));
    section.remove_prefix(std::min(section.size(), name.size() + 1));
    const bool list = name.ends_with("[]");
    // reset(), because assignment would change the tree.
    if (name == "NAME") {
      node.reset(node.begin()->second);
    } else {
      node.reset(node[list ? name.substr(0, name.size() - 2) : name]);
    }
    if (list) node.reset(node[0]);
  }
  return node;
}

std::string shown(const YAML::Node& value) {
  if (value.IsSequence()) return value.size() == 0 ? "none" : value[0].as<std::string>();
  if (value.IsMap()) return value.size() == 0 ? "none" : "";
  return value.as<std::string>();
}

// The defaults in the table are those that come out of the reader. Each option is looked for in a
// limit of an algorithm that has it.
TEST(Options, DefaultsAreTrue) {
  const std::string limits[] = {
      log_limit("store: memory"),
      limit("algorithm: fixed_window, limit: 1, window: 1s"),
      limit("algorithm: sliding_window, limit: 1, window: 1s"),
      limit("algorithm: leaky_bucket, rate: 1/s, capacity: 1"),
      limit("algorithm: smooth, rate: 1/s, burst: 1") + "redis: {sentinel: {addresses: [h]}}\n",
      limit("algorithm: token_bucket, rate: 1/s, burst: 1"),
      kafka("topic: b"),
      targets("{t: {http: {urls: [http://h/]}}}"),
      url("'http://{key}/{key}', allow_hosts: [a]"),
      url("http://h/, batch: {}"),
      top("shares: {s: {levels: {by: record_key, names: [a, b]}}}"),
  };
  for (const Option& option : all_options()) {
    const std::string_view expected = option.default_value;
    if (expected == "required" || expected == "see text" || expected.empty()) continue;
    if (option.section.empty() && (option.name == "limits" || option.name == "shares")) continue;
    std::string found = "none";
    for (const std::string& text : limits) {
      const YAML::Node section = section_of(printed(text), option.section);
      const YAML::Node value = section ? section[std::string(option.name)] : section;
      if (value && found == "none") found = shown(value);
    }
    EXPECT_EQ(found, expected) << option.section << "." << option.name;
  }
}

TEST(Options, AreAllInTheExampleOfEverything) {
  const std::string text = contents(project() / "config/everything.yaml");
  for (const Option& option : all_options()) {
    EXPECT_NE(text.find(std::string(option.name) + ":"), std::string::npos) << option.name;
  }
}

TEST(Options, AreEachThereOnce) {
  for (const Option& a : all_options()) {
    int found = 0;
    for (const Option& b : all_options()) found += a.section == b.section && a.name == b.name;
    EXPECT_EQ(found, 1) << a.section << "." << a.name;
    EXPECT_TRUE(a.text.ends_with('.')) << a.name;
  }
}

// Write it anew with: EINLASS_WRITE_OPTIONS=1 build/debug/tests/unit_config
TEST(Options, PageIsCurrent) {
  const std::filesystem::path page = project() / "config/options.md";
  if (std::getenv("EINLASS_WRITE_OPTIONS") != nullptr) std::ofstream(page) << options_page();
  EXPECT_EQ(contents(page), options_page());
}

}  // namespace
}  // namespace einlass::config
