#include "whole_gate/table_writer.h"

#include <algorithm>
#include <optional>

namespace einlass::whole {

void TableWriter::arrange(Micros began, Micros good) {
  if (book_.entries().empty()) return;
  // Where there was no change yet a gate does not see at once that some were cut off.
  redis_.add_change_of_nothing();
  for (std::size_t i = 0; i < book_.entries().size(); ++i) arrange(i, began, good);
}

void TableWriter::arrange(std::size_t number, Micros began, Micros good) {
  const TableEntry& entry = book_.entries()[number];
  const Micros from = began + entry.from;
  const bool is_unsaid = entry.way == TableEntry::Way::unsaid;
  const Micros patience = is_unsaid ? kKnowsAll : kKnowsChange;
  if (entry.from == 0) {
    write(number, began);
  } else {
    kernel_.at(from, [this, number, began] { write(number, began); });
  }
  kernel_.at(std::max(from, good) + patience, [this, number] { look_whether_known(number); });
  const Micros end = from + entry.lasts.value_or(0);
  all_known_at_ = std::max(all_known_at_, end + kKnowsAll);
  if (!entry.lasts) return;
  kernel_.at(end, [this, number] { this->end(number); });
  const Micros known_at = std::max(end, good) + (entry.ends_by_itself ? kKnowsChange : patience);
  kernel_.at(known_at, [this, number] { look_whether_forgotten(number); });
}

void TableWriter::look_whether_known(std::size_t number) const {
  if (gate_.is_stopping() || book_.is_over(number) || book_.is_known(number)) return;
  throw Broken("the gate does not know " + book_.entries()[number].key);
}

void TableWriter::look_whether_forgotten(std::size_t number) const {
  if (gate_.is_stopping() || book_.is_forgotten(number)) return;
  throw Broken("the gate does not know that there is no more " + book_.entries()[number].key);
}

void TableWriter::write(std::size_t number, Micros began) {
  const TableEntry& entry = book_.entries()[number];
  redis_.write_table(entry.key, value_of(entry, began), entry.way);
  book_.written(number);
}

void TableWriter::end(std::size_t number) {
  const TableEntry& entry = book_.entries()[number];
  book_.ended(number);
  if (!entry.ends_by_itself) redis_.write_table(entry.key, std::nullopt, entry.way);
}

bool TableWriter::any_outlasts_all() const {
  return std::ranges::any_of(book_.entries(), &TableEntry::outlasts_all);
}

void TableWriter::end_all() {
  for (std::size_t i = 0; i < book_.entries().size(); ++i) {
    if (book_.entries()[i].outlasts_all) end(i);
  }
}

}  // namespace einlass::whole
