// Every option there is, as the tables of the sections have them (table.h): config/options.md and
// config/schema.json are written from these.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einlass::config {

class PrintedPage;

// What can be said of an option without its struct.
struct OptionTraits {
  enum class Kind : std::uint8_t {
    duration,
    size,
    rate,
    share,
    number,
    truth,
    choice,
    text,
    secret,  // Or NAME_file.
    list,
    list_or_text,  // One text stands for a list with commas.
    map,
    section,
    sections,  // Each under a name of the user's.
    list_of_sections
  };

  Kind kind = Kind::text;
  std::string type{};                       // In words, as "duration".
  std::vector<std::string_view> choices{};  // Of that kind.
  std::string range{};  // What it may be, as "1 to 64"; empty where that is not said so.
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds{};  // Of a number: the same.
  std::string advice{};         // What to write where it is missing. Empty: it may be left out.
  std::string default_words{};  // Where the struct's default says too little.
  bool is_live = false;         // It may change while the gate runs.
};

struct Option : OptionTraits {
  std::string section;  // As "limits.NAME"; empty at the top.
  std::string_view name;
  std::string default_value;  // As it would be written; "required", "none" or "see text".
  std::string_view text;      // One sentence.
};

// What the page says of the default. `print` prints the option from a new struct.
std::string default_of(const OptionTraits& option, const std::function<void(PrintedPage&)>& print);

// In the order in which they are written, each section after the one that it is in.
const std::vector<Option>& all_options();

// config/options.md.
std::string options_page();

}  // namespace einlass::config
