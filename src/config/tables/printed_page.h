// The page that print-config writes, as it grows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/model/config.h"
#include "config/tables/options.h"
#include "config/tables/print_config.h"

namespace einlass::config {

// One line after the other, each at the depth of the sections that are open; and beside the text
// every option with its path.
class PrintedPage {
 public:
  // `config` is what is printed, for options that name others. It outlives the page.
  explicit PrintedPage(const Config& config) : config_(config) {}

  const Config& config() const { return config_; }

  // What comes next is of this option.
  void begin(std::string_view name, const OptionTraits& option);

  // A section under the option's name, or another; what `fill` writes stands below it.
  template <class Fill>
  void section(Fill fill) {
    section(std::string(name_), fill);
  }
  template <class Fill>
  void section(const std::string& name, Fill fill) {
    open(name);
    fill();
    close();
  }
  // An item of a list: the first line that `fill` writes stands behind its dash. In paths it goes
  // by its name.
  template <class Fill>
  void item(const std::string& name, Fill fill) {
    open_item(name);
    fill();
    close();
  }
  // Nothing of an empty one, but where the option has to be there.
  void text(const std::string& value);
  void list(const std::vector<std::string>& values);
  // What is shown leaves out a secret, which `hidden` has.
  void text_hiding(const std::string& shown, const std::string& hidden);
  void list_hiding(const std::vector<std::string>& shown, const std::string& hidden);
  // What is shown hides the value; one that stands in a file is shown by its path, as NAME_file.
  void secret(const FileSecret& secret);
  // A section with free names, or {}; with stars for those whose names are secret to `is_secret`.
  template <class Pairs>
  void texts(const Pairs& pairs, bool (*is_secret)(std::string_view)) {
    if (pairs.empty()) return add(name_, "{}", "{}");
    section([&] {
      for (const auto& [key, value] : pairs) free_text(key, value, is_secret(key));
    });
  }
  void free_text(std::string_view name, const std::string& value, bool is_secret = false);

  std::string take() { return std::move(text_); }
  std::vector<WrittenOption> take_options() { return std::move(options_); }

 private:
  void open(const std::string& name);
  void open_item(const std::string& name);
  void close();
  void add(std::string_view name, const std::string& shown, const std::string& value);
  void line(const std::string& content);

  const Config& config_;
  std::string text_;
  std::vector<WrittenOption> options_;
  std::vector<std::string> path_;  // Of the sections that are open.
  std::size_t indent_ = 0;
  bool dash_ = false;
  std::string_view name_;     // Of the option that is being printed.
  bool is_live_ = false;      // Likewise.
  bool is_required_ = false;  // Likewise.
};

}  // namespace einlass::config
