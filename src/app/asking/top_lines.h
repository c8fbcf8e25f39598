// The lines of `einlass top`: what each part of the screen says, before it is fitted to a terminal.
#pragma once

#include <cstddef>
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

// What the gate's status is, and what it was a while ago: null where that is not known, or where
// the gate has started again since. All instants are by the gate's clock.
struct TopStatus {
  const nlohmann::ordered_json& now;
  const nlohmann::ordered_json* before;
  double seconds;  // Between the two.
  std::int64_t now_us;
  std::size_t most_of_a_name;  // So many of its characters are shown.
};

// A table whose columns are as wide as their widest cell, so that no number is cut, nor touches the
// one before it. Its first row is the heading.
class TopTable {
 public:
  struct Column {
    std::string heading;
    std::size_t least = 7;  // As wide at least, so that the columns do not jump each second.
    bool right = true;
  };

  explicit TopTable(std::vector<Column> columns);

  // A cell for each column; the last ones may be left out.
  void add(std::vector<std::string> cells, Colour colour = Colour::none);

  // Behind an empty line.
  void into(TopLines& lines) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Who it is; what is wrong and since when, the first `most_lasting` of it, nothing while all is
// well; the totals; and what is over.
void add_head(TopLines& lines, const TopStatus& status, std::size_t most_lasting);

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

// The first so many characters of it. One that takes two columns counts as one.
std::string first_of(const std::string& text, std::size_t characters);

}  // namespace einlass::app
