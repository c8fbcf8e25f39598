// Any bytes through the configuration reader: they give a configuration or mistakes with positions,
// and a configuration that is printed reads back to the same text, but for what was secret.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "config/file/read_config.h"
#include "config/tables/print_config.h"
#include "units/check.h"

namespace {

using einlass::config::Config;
using einlass::config::Mistake;
using einlass::config::Mistakes;

std::optional<std::string> environment(const std::string& name) {
  if (name == "A") return "10";
  if (name == "B") return "swordfish";
  return std::nullopt;
}

void check_mistakes(const Mistakes& mistakes) {
  CHECK(!mistakes.empty());
  for (const Mistake& mistake : mistakes) {
    const std::string line = mistake.to_string();
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find("swordfish") == std::string::npos);
    CHECK(!mistake.text.empty() && mistake.line >= 0 && mistake.column >= 0);
  }
}

void check_config(const Config& config) {
  const std::string text = einlass::config::print_config(config);
  if (text.find("***") != std::string::npos) return;
  const auto again = einlass::config::parse_config(text, "F", environment);
  CHECK(std::holds_alternative<Config>(again));
  CHECK(einlass::config::print_config(std::get<Config>(again)) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("_file") != text.npos) return 0;      // Opens what the bytes name.
  if (text.find("swordfish") != text.npos) return 0;  // Is to come from the environment alone.
  const auto result = einlass::config::parse_config(text, "F", environment);
  if (const auto* mistakes = std::get_if<Mistakes>(&result)) {
    check_mistakes(*mistakes);
  } else {
    check_config(std::get<Config>(result));
  }
  return 0;
}
