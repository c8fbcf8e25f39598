// An option is one row in the table of its section: the name, how its member of the struct is read
// and printed, whether it may change while the gate runs, and what it means. The reader,
// print-config, reloads, the schema and config/options.md all walk these tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/tables/options.h"
#include "config/tables/printed_page.h"
#include "config/tables/section.h"

namespace einlass::config {

// How an option is read into an S and printed from one. fields.h makes them.
template <class S>
struct Field : OptionTraits {
  std::function<void(Section& section, S& out)> read;
  std::function<void(PrintedPage& page, const S& from)> print;
  // Of a section: appends the options in it, with the defaults that they have in a new S.
  std::function<void(const std::string& path, std::vector<Option>& all)> describe{};
  // Where this is false the option may not be written, and is not printed.
  std::function<bool(const S&)> has_meaning{};
  Section::Names rests_on{};  // The options that say so: nothing is told if one is wrong itself.
  std::string_view why_not{};

  Field&& live() && {
    is_live = true;
    return std::move(*this);
  }
  // "TOPIC" for "write topic: TOPIC", or "write ..." in full.
  Field&& required(std::string what_to_write) && {
    advice = std::move(what_to_write);
    return std::move(*this);
  }
  // The type in other words.
  Field&& called(std::string_view words) && {
    type = words;
    return std::move(*this);
  }
  Field&& defaults_to(std::string_view words) && {
    default_words = words;
    return std::move(*this);
  }
  Field&& only_where(std::function<bool(const S&)> condition, Section::Names which_rests_on,
                     std::string_view otherwise) && {
    has_meaning = std::move(condition);
    rests_on = std::move(which_rests_on);
    why_not = otherwise;
    return std::move(*this);
  }
  // What is to be done once it is read.
  Field&& then(void (*more)(Section&, S&)) && {
    read = [first = std::move(read), more](Section& section, S& out) {
      first(section, out);
      more(section, out);
    };
    return std::move(*this);
  }
};

template <class S>
struct Row {
  std::string_view name;
  Field<S> field;
  std::string_view text{};
};

// The table of a section, in the order in which its options are read and printed. One that another
// table refers to lives as long as the program.
template <class S>
using Rows = std::vector<Row<S>>;

// One whose options may all change while the gate runs.
template <class S>
Rows<S> all_live(Rows<S> rows) {
  for (Row<S>& row : rows) row.field.is_live = true;
  return rows;
}

// What several options of a section say together: tells what is wrong with that, and fills in what
// follows from others. Called when all were read, whether they were right or not.
template <class S>
using Check = void (*)(Section& section, S& out);

template <class S>
Section::Names names_in(const Rows<S>& rows) {
  Section::Names names;
  for (const Row<S>& row : rows) names.push_back(row.name);
  return names;
}

template <class S>
void read(Section& section, const Rows<S>& rows, S& out) {
  for (const Row<S>& row : rows) {
    const Section::Scope scope(section, row.name);
    if (row.field.advice.empty() || section.require(row.field.advice)) row.field.read(section, out);
  }
  for (const Row<S>& row : rows) {
    const Field<S>& field = row.field;
    if (!field.has_meaning || !section.has(row.name) || !section.sound(field.rests_on)) continue;
    if (!field.has_meaning(out)) section.wrong(row.name, std::string(field.why_not));
  }
}

template <class S>
void print(PrintedPage& page, const Rows<S>& rows, const S& from) {
  for (const Row<S>& row : rows) {
    if (row.field.has_meaning && !row.field.has_meaning(from)) continue;
    page.begin(row.name, row.field);
    row.field.print(page, from);
  }
}

template <class S>
void describe(const Rows<S>& rows, const std::string& section, const S& defaults,
              std::vector<Option>& all) {
  for (const Row<S>& row : rows) {
    const auto print = [&](PrintedPage& page) { row.field.print(page, defaults); };
    all.push_back({row.field, section, row.name, default_of(row.field, print), row.text});
  }
  for (const Row<S>& row : rows) {
    if (row.field.describe) row.field.describe(below(section, row.name), all);
  }
}

}  // namespace einlass::config
