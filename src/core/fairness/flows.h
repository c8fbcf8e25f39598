// The ready records of one line by level and flow, and whose turn it is.
//
// The first level with something ready goes first. But each but the very first earns a part of what
// is taken while it has something ready, and goes once that is a whole permit, who has earned most
// before others: so a level's k-th record waits for at most (k + 1) / keep permits. Within a level
// the flows take turns by weight, and a flow's records go first come, first served.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/containers/flat_index.h"
#include "core/containers/list.h"
#include "core/contract/flow.h"
#include "core/contract/standing.h"
#include "core/fairness/fair_queue.h"
#include "core/fairness/fleet_flows.h"
#include "core/records/record.h"
#include "units/id.h"

namespace einlass::core {

class Flows {
 public:
  // `fleet`: a limit's permits are shared with the flows of other gates.
  Flows(const ShareOptions& options, bool fleet);

  const ShareOptions& options() const { return options_; }

  // The flow has that weight from here on, if it is known.
  void weigh(const FlowMark& mark);

  // The record becomes ready, behind those of its flow. REQUIRES: it is in no Flows.
  void push_back(Records& records, Record& record);

  // It is ready no longer: it was withdrawn, or it leaves with permits of that cost.
  // REQUIRES: it is here.
  void withdraw(Records& records, Record& record);
  void take(Records& records, Record& record, Permits cost);

  // Whose turn it is; kNoSlot if nobody is ready.
  Slot front() const;

  std::uint64_t ready(std::uint8_t level) const { return claims_[level].ready; }

  // Appends the records that are likely to go next to `next`, `most` at most: behind those that
  // permits are promised to, and as things stand. May find fewer than there are. For permits that
  // cost what their records say.
  void foresee(const Records& records, std::size_t most, std::vector<Slot>& next) const;

  // A permit was asked for with a record of that flow in mind, and is no longer: it was used, not
  // granted, or given back. Until then the flow keeps its number (a record's flow_slot).
  void promise(std::uint32_t flow);
  void promise_no_more(std::uint32_t flow);

  // An ask names the flow: until it is named no more it keeps its number too.
  void name(std::uint32_t flow) { ++flows_[flow].named; }
  void name_no_more(std::uint32_t flow) { --flows_[flow].named; }

  // What is known of them in the fleet; null where they share with nobody there.
  FleetFlows* fleet() const { return fleet_.get(); }

  // The first ready record of the flow; kNoSlot if there is none. REQUIRES: something is promised.
  Slot front_of(std::uint32_t flow) const { return flows_[flow].records.front(); }

  // REQUIRES: the record is here. Looks at each flow: for people, who ask now and then.
  FlowStanding standing(const Records& records, const Record& record) const;

  // CHECKs that as many are here as the line has.
  void check(std::uint32_t ready) const;

 private:
  struct Flow {
    std::uint64_t hash = 0;
    std::uint8_t level = 0;
    std::uint16_t weight = 1;
    std::uint32_t promised = 0, named = 0;
    List<Record, &Record::in_flow> records;
  };
  // What a level has a claim to.
  struct Claim {
    std::uint64_t ready = 0;
    std::int64_t credit = 0;  // In hundredths of a permit.
  };
  using Claims = std::array<Claim, kMostLevels>;
  class Foresight;

  std::uint8_t next_level(const Claims& claims) const;
  void charge(Claims& claims, std::uint8_t level, std::int64_t cost) const;
  std::uint32_t flow_of(const FlowMark& mark);
  void remove(Records& records, Record& record);
  void forget(std::uint8_t level);

  const ShareOptions options_;
  std::unique_ptr<FleetFlows> fleet_;
  std::array<FairQueue, kMostLevels> turns_;  // By level.
  Claims claims_;                             // By level.
  FlatIndex index_;                           // From key and level.
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace einlass::core
