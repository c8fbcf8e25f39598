// How far the redrive of one partition of a dead letter topic is: which of the offsets that were
// read are still on their way, and so what the group is told.
//
// The gate keeps a ledger for each route of the partition, for a route is the gate's unit of order
// and bounds. Here they come together again.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "adapters/kafka/reader/topic_reader.h"
#include "core/contract/command.h"
#include "core/contract/finished_map.h"
#include "core/contract/ids.h"
#include "units/id.h"

namespace einlass::app {

class RedriveBook {
 public:
  // `finished`: what an earlier redrive finished already, at or above `start`, as
  // core::write_finished() wants it.
  RedriveBook(PartitionNumber number, Offset start, std::vector<core::OffsetRange> finished);

  // Whether an earlier redrive finished it.
  bool knows(Offset offset) const;

  // It is sent again, as one of that assignment of the gate's.
  void take(Offset offset, core::PartitionId assignment);

  // The gate commits of one assignment.
  void finish(const core::CommitEntry& entry);

  // What the group is to be told, where all before `read_to` was read: nothing below `next` is on
  // its way, and what above it is not.
  kafka::Progress progress(Offset read_to) const;

  // Whether another offset on its way could make the progress longer than a commit may be.
  bool full(Offset read_to) const;

  std::size_t on_their_way() const { return taken_.size(); }

 private:
  PartitionNumber number_;
  Offset start_;
  std::vector<core::OffsetRange> before_;
  std::map<Offset, core::PartitionId> taken_;
};

}  // namespace einlass::app
