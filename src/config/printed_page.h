// The page that print-config writes, as it grows; and who writes its larger parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/names.h"
#include "config/print_config.h"
#include "config/yaml_text.h"

namespace einlass::config {

// Quoted, for a star alone would be something else in YAML.
inline constexpr std::string_view kHidden = "\"***\"";

// One line after the other, each at the depth of the sections that are open; and beside the text
// every option with its path.
class PrintedPage {
 public:
  // A section's name; what `fill` writes stands below it.
  template <class Fill>
  void section(const std::string& name, Fill fill) {
    line(name + ":");
    indent_ += 2;
    path_.push_back(name);
    fill();
    path_.pop_back();
    indent_ -= 2;
  }
  // An item of a list: the first line that `fill` writes stands behind its dash. In paths it goes
  // by its name.
  template <class Fill>
  void item(const std::string& name, Fill fill) {
    dash_ = true;
    indent_ += 2;
    path_.push_back(name);
    fill();
    path_.pop_back();
    indent_ -= 2;
  }
  // `value` is YAML already.
  void option(const std::string& name, const std::string& value) { add(name, value, value); }
  // What is shown may leave a secret out, which `hidden` has.
  void text_hiding(const std::string& name, const std::string& shown, const std::string& hidden) {
    add(name, yaml_value(shown), shown + " " + hidden);
  }
  void list_hiding(const std::string& name, const std::vector<std::string>& shown,
                   const std::string& hidden) {
    add(name, yaml_list(shown), yaml_list(shown) + " " + hidden);
  }
  // What is shown hides the value.
  void secret(const std::string& name, const std::string& value) {
    add(name, std::string(kHidden), value);
  }
  // One that stands in a file is shown by its path.
  void secret(const std::string& name, const FileSecret& secret_of) {
    if (secret_of.file.empty()) return secret(name, secret_of.value);
    text_hiding(name + "_file", secret_of.file, secret_of.value);
  }
  void text(const std::string& name, std::string_view value) { option(name, yaml_value(value)); }
  void number(const std::string& name, std::int64_t value) { option(name, std::to_string(value)); }
  // Nothing for an option that is not there.
  void text_if_any(const std::string& name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }

  std::string take() { return std::move(text_); }
  std::vector<WrittenOption> take_options() { return std::move(options_); }

 private:
  void add(const std::string& name, const std::string& shown, const std::string& value) {
    line(name + ": " + shown);
    options_.push_back({path_, shown, value});
    options_.back().path.push_back(name);
  }
  void line(const std::string& content) {
    text_ += std::string(indent_ - (dash_ ? 2 : 0), ' ') + (dash_ ? "- " : "") + content + "\n";
    dash_ = false;
  }

  std::string text_;
  std::vector<WrittenOption> options_;
  std::vector<std::string> path_;  // Of the sections that are open.
  std::size_t indent_ = 0;
  bool dash_ = false;
};

// With stars for those whose names are secret to `is_secret`.
template <class Pairs>
void print_texts(PrintedPage& page, const std::string& name, const Pairs& pairs,
                 bool (*is_secret)(std::string_view)) {
  if (pairs.empty()) return page.option(name, "{}");
  page.section(name, [&] {
    for (const auto& [key, value] : pairs) {
      if (is_secret(key)) {
        page.secret(yaml_key(key), value);
      } else {
        page.text(yaml_key(key), value);
      }
    }
  });
}

// `oauth` of the source's brokers, or of a target's.
void print_kafka_oauth(PrintedPage& page, const KafkaOauth& oauth);

// A target with all its options, below its name.
void print_target(PrintedPage& page, const Target& target);

}  // namespace einlass::config
