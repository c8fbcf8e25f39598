#include <string>

#include "config/options.h"

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
)";

}  // namespace

std::string options_page() {
  std::string page(kHead);
  std::string_view section = "-";
  for (const Option& option : all_options()) {
    if (option.section != section) {
      section = option.section;
      page += "\n## " + (section.empty() ? "Top" : "`" + std::string(section) + "`") +
              "\n\n| option | type | default | meaning |\n|---|---|---|---|\n";
    }
    const bool word = option.default_value.empty() || option.default_value == "required" ||
                      option.default_value == "none" || option.default_value == "see text";
    const std::string tick = word ? "" : "`";
    page += "| `" + std::string(option.name) + "` | " + std::string(option.type) + " | " + tick +
            std::string(option.default_value) + tick + " | " + std::string(option.text) + " |\n";
  }
  return page;
}

}  // namespace einlass::config
