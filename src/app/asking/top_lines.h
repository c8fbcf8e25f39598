// The lines of `einlass top`: what each part of the screen says, before it is fitted to a terminal.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/asking/terminal.h"

namespace einlass::app {

struct TopLine {
  std::string text;
  Colour colour = Colour::none;
};
using TopLines = std::vector<TopLine>;

// What the gate's status was, what it was a while ago (null: not known), and how long ago.
struct TopStatus {
  const nlohmann::ordered_json& now;
  const nlohmann::ordered_json* before;
  double seconds;
  std::int64_t now_us;  // The time of day.
};

// Who it is; what is wrong and since when, nothing while all is well; the totals; and what is over.
void add_head(TopLines& lines, const TopStatus& status);

// In top_tables.cc.
void add_routes(TopLines& lines, const TopStatus& status);
void add_limits(TopLines& lines, const TopStatus& status);
void add_shares(TopLines& lines, const TopStatus& status);
void add_targets(TopLines& lines, const TopStatus& status);
void add_longest(TopLines& lines, const TopStatus& status);

// That member of it, which is a text.
inline std::string text_of(const nlohmann::ordered_json& json, const char* name) {
  return json.at(name).get<std::string>();
}

// "in 15 s" for an instant ahead; "now" for one that has passed; empty for null.
std::string until_in_words(const nlohmann::ordered_json& at, std::int64_t now_us);

// Of so many characters, filled up with blanks or cut. One that takes two columns counts as one.
std::string column(const std::string& text, std::size_t width, bool right = false);

}  // namespace einlass::app
