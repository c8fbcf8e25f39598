// What the fleet's table has, since when the gate knows of it, and what must therefore not happen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/table_plan.h"

namespace einlass::whole {

class TableBook {
 public:
  TableBook(Kernel& kernel, const Plan& plan);

  const std::vector<TableEntry>& entries() const { return entries_; }

  // An entry is in the table; or it is there no more, or its time is over.
  void written(std::size_t entry) { times_[entry].written = kernel_.now(); }
  void ended(std::size_t entry);

  // The shard has been told of it: of a pause, or of a quota.
  void told(std::size_t entry);
  // The gate does not go by it any more.
  void forgotten(std::size_t entry);
  bool is_forgotten(std::size_t entry) const { return times_[entry].forgotten != kNever; }
  bool is_known(std::size_t entry) const { return times_[entry].told != kNever; }
  bool is_over(std::size_t entry) const { return times_[entry].ended != kNever; }

  // An attempt arrives that was not sent before `left`, or the gate reads on. Throws Broken if it
  // was told not to.
  void look_at_attempt(const Record& record, const Origin& origin, Micros left) const;
  void look_at_reading(const Origin& origin) const;

  // The table has a pause of it.
  bool pauses(const Record& record, const Origin& origin) const;

  // What is promised of a key between two instants, by the table or without it. Nothing is promised
  // while gates may go by either.
  struct Stretch {
    Micros from, end;
    Promise promise;
  };
  std::vector<Stretch> stretches_of(const std::string& key, const Promise& own) const;

 private:
  static constexpr Micros kNever = INT64_MAX;
  struct Times {
    Micros written = kNever, told = kNever, ended = kNever, forgotten = kNever;
  };

  Micros late_after(Micros told) const;
  static bool is_about(const TableEntry& entry, const Record& record, const Origin& origin);

  Kernel& kernel_;
  const std::vector<TableEntry> entries_;
  const bool costs_;
  const Micros began_, good_;
  std::vector<Times> times_;
};

}  // namespace einlass::whole
