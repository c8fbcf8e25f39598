// A limit's section as it would stand in a file with some of its numbers written anew: for a key,
// for some times of the week, or while the gate runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"
#include "config/model/reading.h"
#include "config/tables/options.h"
#include "config/tables/printed_page.h"
#include "config/tables/section.h"
#include "config/text/document.h"

namespace einlass::config {

class ChangedSection {
 public:
  // `position` is where the changes as a whole stand. Outlived by the reading, the limit, and what
  // is written.
  ChangedSection(Reading& reading, const Limit& limit, std::string path, Position position);

  // One number anew; told as a mistake if it cannot be.
  void write(const Entry& entry);

  // What the numbers are then, not complete() yet; none, with the mistakes told, if something is
  // wrong with them.
  std::optional<LimitValue> read(int instances);

 private:
  std::string why_not(const std::string& name) const;

  Reading& reading_;
  const Limit& limit_;
  std::string path_;
  Section::Names open_;  // What may change.
  Document document_;
  Node root_;
  bool new_burst_ = false;
};

// A single value, as the document would have it.
const Node* add_scalar(Document& document, const std::string& text, Position position);

// The same of an entry of the file, whose value is a map of such numbers. `limit` is
// as_in_the_file().
std::optional<LimitValue> read_changes(Reading& reading, const Entry& entry,
                                       const std::string& path, const Limit& limit);

// The limit as the file has it, from which the numbers of others follow: the window of a strict one
// is not longer yet.
Limit as_in_the_file(const Limit& limit);

// Each number that the limit has with that value, in a section of that name.
void print_changes(PrintedPage& page, const Limit& limit, const std::string& name,
                   const LimitValue& value);

// What may stand in such an entry below `path`.
void describe_changes(const std::string& path, std::vector<Option>& all);

}  // namespace einlass::config
