#include "config/tables/options.h"

#include <algorithm>

#include "config/tables/tables.h"

namespace einlass::config {
namespace {

constexpr std::string_view kHead = R"(# Options

Generated from the table of options in `src/config`; do not edit here. The [cookbook](../docs/cookbook.md)
has a configuration for each use.

- Durations are written `250ms`, `1s`, `5m` (also `us`, `h`, `d`), rates `100/s`, `10/h` or `1/3s`, sizes
  `512KiB` or `16MiB`, shares `20%`.
- `${VAR}`, `${VAR:-default}` and `${VAR:?message}` are replaced by environment variables in any value;
  `$$` is a dollar.
- `NAME_file: PATH` beside a secret reads it from a file.
- A map has at most 1,000 entries.
)";

std::vector<Option> described() {
  std::vector<Option> all;
  describe(kConfig, "", Config{}, all);
  return all;
}

}  // namespace

const std::vector<Option>& all_options() {
  static const std::vector<Option> kAll = described();
  return kAll;
}

std::string default_of(const OptionTraits& option, const std::function<void(PrintedPage&)>& print) {
  if (!option.advice.empty()) return "required";
  if (!option.default_words.empty()) return option.default_words;
  if (option.kind == OptionTraits::Kind::section) return "";
  static const Config kNone;
  PrintedPage page(kNone);
  print(page);
  const std::vector<WrittenOption> printed = page.take_options();
  std::string shown = printed.empty() ? "" : printed.front().value;
  std::erase_if(shown,
                [](char c) { return c == '[' || c == ']' || c == '{' || c == '}' || c == '"'; });
  return shown.empty() ? "none" : shown;
}

std::string options_page() {
  std::string page(kHead);
  std::string_view section = "-";
  for (const Option& option : all_options()) {
    if (option.section != section) {
      section = option.section;
      page += "\n## " + (section.empty() ? "Top" : "`" + option.section + "`") +
              "\n\n| option | type | default | meaning |\n|---|---|---|---|\n";
    }
    const std::string& shown = option.default_value;
    const bool word =
        shown.empty() || shown == "required" || shown == "none" || shown == "see text";
    const std::string tick = word ? "" : "`";
    const std::string range = option.range.empty() ? "" : ", " + option.range;
    page += "| `" + std::string(option.name) + "` | " + option.type + range + " | " + tick + shown +
            tick + " | " + std::string(option.text) + " |\n";
  }
  return page;
}

}  // namespace einlass::config
