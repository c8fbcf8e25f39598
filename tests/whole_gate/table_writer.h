// Whoever writes into the fleet's table: when, and by when the gate has to know of it.
#pragma once

#include "whole_gate/gate_process.h"
#include "whole_gate/kernel.h"
#include "whole_gate/redis_world.h"
#include "whole_gate/table_book.h"

namespace einlass::whole {

// REQUIRES: outlived by what the constructor is given.
class TableWriter {
 public:
  TableWriter(Kernel& kernel, TableBook& book, RedisWorld& redis, GateProcess& gate)
      : kernel_(kernel), book_(book), redis_(redis), gate_(gate) {}

  // Writes what is there before the gate, and arranges the rest. Nothing goes wrong from `good` on.
  void arrange(Micros began, Micros good);

  // When the last of those that end has ended, and the gate must know of it.
  Micros all_known_at() const { return all_known_at_; }

  // Takes out those that last until all else is delivered; by when the gate must know of that.
  bool any_outlasts_all() const;
  void end_all();

 private:
  void arrange(std::size_t entry, Micros began, Micros good);
  void write(std::size_t entry, Micros began);
  void end(std::size_t entry);
  void look_whether_known(std::size_t entry) const;
  void look_whether_forgotten(std::size_t entry) const;

  Kernel& kernel_;
  TableBook& book_;
  RedisWorld& redis_;
  GateProcess& gate_;
  Micros all_known_at_ = 0;
};

// What is written while all is well is known after that at the latest: a gate looks for changes
// all the time, and reads the whole table each 30 s.
inline constexpr Micros kKnowsChange = 10'000'000, kKnowsAll = 45'000'000;

}  // namespace einlass::whole
