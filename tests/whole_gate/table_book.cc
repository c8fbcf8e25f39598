#include "whole_gate/table_book.h"

#include <algorithm>

#include "whole_gate/plan.h"

namespace einlass::whole {
namespace {

}  // namespace

TableBook::TableBook(Kernel& kernel, const Plan& plan)
    : kernel_(kernel),
      entries_(plan.table),
      costs_(plan.costs),
      began_(kernel.now()),
      good_(began_ + plan.bad_until),
      times_(entries_.size()) {}

// Until then permits may come that were asked for by other numbers: the call was on its way for
// long, and they lie ahead, far ahead where a record costs more than what others leave.
Micros TableBook::late_after(Micros told) const {
  if (told == kNever) return kNever;
  return told + (costs_ ? 45 : told < good_ ? 12 : 2) * kSecond;
}

void TableBook::told(std::size_t entry) {
  if (is_known(entry)) return;
  kernel_.trace("the gate knows " + entries_[entry].key);
  times_[entry].told = kernel_.now();
}

void TableBook::forgotten(std::size_t entry) {
  if (!is_forgotten(entry)) times_[entry].forgotten = kernel_.now();
}

void TableBook::ended(std::size_t entry) {
  kernel_.trace("it is over: " + entries_[entry].key);
  times_[entry].ended = kernel_.now();
}

bool TableBook::is_about(const TableEntry& entry, const Record& record, const Origin& origin) {
  switch (entry.about) {
    case TableEntry::About::route:
      return origin.route == entry.number;
    case TableEntry::About::target:
      return origin.path == entry.name;
    case TableEntry::About::topic:
      return origin.topic == entry.name;
    case TableEntry::About::key:
      return record.key == entry.name;
    case TableEntry::About::quota:
      return false;
  }
  return false;
}

// Of a topic what was read before goes on.
void TableBook::look_at_attempt(const Record& record, const Origin& origin, Micros left) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool stops =
        entries_[i].about != TableEntry::About::topic && is_about(entries_[i], record, origin);
    if (!stops || left <= times_[i].told || kernel_.now() >= times_[i].ended) continue;
    throw Broken("an attempt that is paused by " + entries_[i].key);
  }
}

void TableBook::look_at_reading(const Origin& origin) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool stops =
        entries_[i].about != TableEntry::About::key && is_about(entries_[i], {}, origin);
    if (!stops || !is_known(i) || is_over(i)) continue;
    throw Broken("a partition is read that is paused by " + entries_[i].key);
  }
}

bool TableBook::pauses(const Record& record, const Origin& origin) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool is_there = times_[i].written != kNever && !is_over(i);
    if (is_there && is_about(entries_[i], record, origin)) return true;
  }
  return false;
}

std::vector<TableBook::Stretch> TableBook::stretches_of(const std::string& key,
                                                        const Promise& own) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].about != TableEntry::About::quota || entries_[i].name != key) continue;
    const Times& times = times_[i];
    std::vector<Stretch> stretches = {{began_, times.written, own}};
    const Micros from = times.written == began_ ? began_ : late_after(times.told);
    stretches.push_back({from, times.ended, entries_[i].promise});
    stretches.push_back({late_after(times.forgotten), kNever, own});
    return stretches;
  }
  return {{began_, kNever, own}};
}

}  // namespace einlass::whole
