// The ready records of one line by level and flow, and whose turn it is.
//
// The first level with something ready goes first. But each level below it earns a part of what is
// taken while it has something ready, and goes once that is a whole permit: so a level's k-th
// record waits for at most (k + 1) / keep permits. Within a level the flows take turns by weight,
// and a flow's records go first come, first served.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/fair_queue.h"
#include "core/flat_index.h"
#include "core/flow.h"
#include "core/list.h"
#include "core/record.h"
#include "units/id.h"

namespace einlass::core {

// What stands before a record.
struct FlowStanding {
  std::uint64_t before = 0;    // Records that are likely to go first.
  std::uint64_t of_other = 0;  // Of these: of the flow that has most.
  Slot other = kNoSlot;        // That flow's first record; kNoSlot if there is none.
  std::uint32_t weight = 1, other_weight = 1;
  bool other_level = false;  // It goes first for its level and not for its weight.
};

class Flows {
 public:
  explicit Flows(const ShareOptions& options) : options_(options) {}

  const ShareOptions& options() const { return options_; }

  // The record becomes ready, behind those of its flow. REQUIRES: it is in no Flows.
  void push_back(Records& records, Record& record);

  // It is ready no longer: it was withdrawn, or it leaves with permits of that cost.
  // REQUIRES: it is here.
  void withdraw(Records& records, Record& record);
  void take(Records& records, Record& record, Permits cost);

  // Whose turn it is; kNoSlot if nobody is ready.
  Slot front() const;

  std::uint64_t ready(std::uint8_t level) const { return levels_[level].ready; }

  // REQUIRES: the record is here. Looks at each flow: for people, who ask now and then.
  FlowStanding standing(const Records& records, const Record& record) const;

  // CHECKs that as many are here as the line has.
  void check(std::uint32_t ready) const;

 private:
  struct Flow {
    std::uint64_t hash = 0;
    std::uint8_t level = 0;
    List<Record, &Record::in_flow> records;
  };
  struct Level {
    FairQueue turns;
    std::uint64_t ready = 0;
    std::int64_t credit = 0;  // In hundredths of a permit.
  };

  std::uint8_t next_level() const;
  std::uint32_t flow_of(const FlowMark& mark);
  void remove(Records& records, Record& record);
  void forget(Level& level);

  const ShareOptions options_;
  std::array<Level, kMostLevels> levels_;
  FlatIndex index_;  // From key and level.
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace einlass::core
