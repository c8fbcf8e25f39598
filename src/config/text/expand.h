// Variables in a value: ${VAR}, ${VAR:-default}, ${VAR:?message}, and $$ for a dollar.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace einlass::config {

// Looks up an environment variable; none if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// At most this many bytes come out of one value.
inline constexpr std::size_t kMostValueBytes = 64 << 10;

struct Expanded {
  std::string text;
  bool from_variable = false;  // Part of it came from the environment and is not to be shown.
};

// A sentence about what is wrong; it names variables and never shows their contents.
struct ExpandMistake {
  std::string text;
};

// Expanded once: what a variable holds is not looked into. As in a shell, `:-` and `:?` also take
// an empty variable for one that is not set.
std::variant<Expanded, ExpandMistake> expand(std::string_view text, const Environment& environment);

}  // namespace einlass::config
