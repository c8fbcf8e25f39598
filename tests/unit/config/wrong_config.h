// What the tests of wrong configurations share: an environment, the smallest surroundings of a
// section, and the mistakes as one text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/file/read_config.h"
#include "config/tables/options.h"

namespace einlass::config {

inline const std::string kTargets = "targets: {t: {http: {url: http://h/}}}\n";
inline const std::string kRoutes = "routes: [{name: r, topics: [a], target: t}]\n";
inline const std::string kLimits =
    "limits: {l: {algorithm: sliding_log, limit: 1, window: 1s}, "
    "m: {algorithm: token_bucket, rate: 1/s, burst: 1, store: redis}}\n";

// Each puts the text under test into the smallest file around it.
inline std::string top(const std::string& text) { return text + "\n" + kTargets + kRoutes; }
inline std::string limit(const std::string& text) { return top("limits:\n  l: {" + text + "}"); }
inline std::string log_limit(const std::string& text) {
  return limit("algorithm: sliding_log, limit: 10, window: 1s, " + text);
}
inline std::string targets(const std::string& text) { return "targets: " + text + "\n" + kRoutes; }
inline std::string http(const std::string& text) {
  return targets("\n  t: {http: {url: http://h/, " + text + "}}");
}
inline std::string kafka(const std::string& text) {
  return targets("{t: {kafka: {" + text + "}}}");
}
inline std::string url(const std::string& text) {
  return targets("\n  t: {http: {url: " + text + "}}");
}
inline std::string routes(const std::string& text) { return kTargets + "routes: " + text + "\n"; }
inline std::string route(const std::string& text) {
  return kLimits + routes("\n  - {name: r, topics: [a], target: t, " + text + "}");
}

inline std::optional<std::string> test_environment(const std::string& name) {
  if (name == "SECRET") return "hunter2";
  if (name == "EMPTY") return "";
  if (name == "LINES") return "a\nb";
  if (name == "TEN") return "10";
  if (name == "EINLASS_ADMIN_TOKEN") return "hunter2";
  if (name == "AWS_REGION") return "eu-west-1";
  if (name == "URL_WITH_LOGIN") return "http://user:hunter2@h/";
  return std::nullopt;
}

// The names of all algorithms.
inline const std::vector<std::string_view>& algorithms_of_the_options() {
  return std::ranges::find_if(all_options(),
                              [](const Option& option) {
                                return option.section == "limits.NAME" &&
                                       option.name == "algorithm";
                              })
      ->choices;
}

// One mistake a line, each without the file's name and its colon; empty if there is none.
inline std::string mistakes_in(const std::string& text) {
  const auto result = parse_config(text, "F", test_environment);
  if (std::holds_alternative<Config>(result)) return "";
  std::string all;
  for (const Mistake& mistake : std::get<Mistakes>(result)) {
    all += (all.empty() ? "" : "\n") + mistake.to_string().substr(2);
  }
  return all;
}

struct Wrong {
  std::string text;
  std::string mistakes;
};

inline void expect_mistakes(const std::vector<Wrong>& table) {
  for (const Wrong& wrong : table) {
    EXPECT_EQ(mistakes_in(wrong.text), wrong.mistakes) << wrong.text;
  }
}

}  // namespace einlass::config
