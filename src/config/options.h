// Every option there is, once: unknown keys are told by this table, and config/options.md is
// written from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::config {

struct Option {
  std::string_view section;  // As "limits.NAME"; empty at the top.
  std::string_view name;
  std::string_view type;           // In words, as "duration".
  std::string_view default_value;  // As it would be written; "required", "none" or "see text".
  std::string_view text;           // One sentence.
};

std::span<const Option> all_options();

// The names in one section.
std::vector<std::string_view> option_names(std::string_view section);

// config/options.md.
std::string options_page();

}  // namespace einlass::config
