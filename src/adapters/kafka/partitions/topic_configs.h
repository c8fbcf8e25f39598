// What Kafka says of the topics themselves, asked now and then: for how long it keeps their
// records, so that a backlog can be compared with it before anything is deleted; and which are not
// there.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/partitions/assignment.h"
#include "units/time.h"

namespace einlass::kafka {

// REQUIRES: one thread; outlived by what the constructor is given.
class TopicConfigs {
 public:
  // The most topics that are asked about at once; of more the next ones soon after.
  static constexpr std::size_t kMostTopics = 100;

  // `named`: those to ask about besides the ones that are assigned.
  TopicConfigs(rd_kafka_t* client, Assignment& assignment, std::vector<std::string> named);

  // Others instead of those, from the next tick on.
  void set_named(std::vector<std::string> named);

  // To be called every second; `reachable`: some broker is. Never waits.
  void tick(bool reachable);

  // Of topics whose configuration this login may read, and that do not keep records for ever.
  const std::map<std::string, Duration>& retention() const { return retention_; }
  // Those of which the brokers have said that they are not there.
  const std::set<std::string>& missing() const { return missing_; }

 private:
  void ask();
  void take(rd_kafka_event_t* event);

  rd_kafka_t* client_;
  Assignment& assignment_;
  std::vector<std::string> named_;
  QueueHandle answers_;
  int ticks_ = 0;     // Until it is asked again.
  std::string last_;  // That was asked about; empty: all were.
  std::map<std::string, Duration> retention_;
  std::set<std::string> missing_;
};

}  // namespace einlass::kafka
