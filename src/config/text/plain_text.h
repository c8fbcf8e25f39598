// Text at the level of its bytes: whether a YAML reader sees it as people do, and how to show it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/text/document.h"

namespace einlass::config {

// The first thing that is not UTF-8, or is a control character. yaml-cpp replaces the one silently
// and takes one of the others (0x04) for the end of the file.
std::optional<SyntaxMistake> find_bad_character(std::string_view text);

// Whether a quote is opened at `at` and never closed. yaml-cpp takes the rest of the file for the
// value then, if that ends with a line break.
bool is_unclosed_quote(std::string_view text, std::size_t at);

// The text on one line, cut between characters after `most` bytes.
std::string clipped(std::string_view text, std::size_t most);

}  // namespace einlass::config
