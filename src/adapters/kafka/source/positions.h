// Finds out where each partition is to be read from, and sees to it that it is.
//
// A new partition waits until Kafka has said what the group has committed of it; one whose next
// offset Kafka no longer has waits until Kafka has said what it has. Each waits alone: the others
// are read meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/kafka/partitions/assignment.h"
#include "adapters/kafka/partitions/fetching.h"
#include "adapters/kafka/partitions/lookup.h"
#include "adapters/kafka/source/beginning.h"
#include "adapters/kafka/source/source.h"
#include "core/contract/event.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::kafka {

class Positions {
 public:
  // `events` gets the assignments, and the losses of partitions whose log began anew.
  Positions(OffsetReset policy, Assignment& assignment, Fetching& fetching, core::Events& events,
            Notify notify);

  // A partition that the group has given us, or whose log began anew: it is asked about.
  void seek(Partition& partition);

  // librdkafka no longer finds the offset that comes next. REQUIRES: the gate has the partition.
  void out_of_range(Partition& partition, Instant now);

  // Nobody knows any more what is committed of it: it is lost to the gate, and asked about then.
  // REQUIRES: the gate has the partition.
  void start_over(Partition& partition);

  // What is to be asked now; empty where nothing is.
  std::vector<Position> questions();

  // Takes the answers; one to an older question is ignored. Returns librdkafka's error, if any.
  std::string answered(const std::vector<Position>& answers, Instant now);

  // Tries again what failed. To be called about every second. Returns as answered().
  std::string tick();

  // Another policy, which holds at once for the partitions that are stuck.
  void set_policy(OffsetReset policy);

  // By topic.
  const std::map<std::string, SkippedOffsets>& skipped() const { return skipped_; }

 private:
  void take(Partition& partition, const Position& answer, Instant now);
  void take_committed(Partition& partition, const Position& answer);
  void begin(Partition& partition, const LogBounds& log);
  void go_on(Partition& partition, const LogBounds& log, Instant now);
  void lose(Partition& partition, const LogBounds& log);
  void count(const std::string& topic, const SkippedOffsets& skipped);
  void move(Partition& partition, const Beginning& beginning, const std::string& gone);
  void get_stuck(Partition& partition, const std::string& why);
  std::string read_on();

  OffsetReset policy_;
  Assignment& assignment_;
  Fetching& fetching_;
  core::Events& events_;
  Notify notify_;
  std::uint64_t last_question_ = 0;
  bool to_ask_ = false;  // Some partition may be worth a question.
  std::map<std::string, SkippedOffsets> skipped_;
};

}  // namespace einlass::kafka
