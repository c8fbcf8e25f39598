// Topics that nobody in the group is given.
//
// Kafka gives a static member that comes back in time what it had, also where it comes back with
// other topics than it left with, and takes no notice of the new ones (KAFKA-12759): they would be
// read by nobody until something else makes the group divide its partitions again.
#pragma once

#include <librdkafka/rdkafka.h>

#include <set>
#include <string>

#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {

// REQUIRES: one thread; outlived by what the constructor is given.
class GroupTopics {
 public:
  GroupTopics(rd_kafka_t* client, std::string group);

  // To be called every second while the group has given us an assignment and nothing moves, some
  // broker is reachable, and `wanted` are topics that are there. Never waits. Returns those of them
  // that nobody has had for two answers in a row, once.
  std::set<std::string> tick(const std::set<std::string>& wanted);

  // Something moves: what was heard before says nothing, and it is asked again for a while.
  void moved();

 private:
  static constexpr int kEveryTicks = 10;
  static constexpr int kQuestions = 6;

  void ask();
  void take(rd_kafka_event_t* event, const std::set<std::string>& wanted);

  rd_kafka_t* client_;
  const std::string group_;
  QueueHandle answers_;
  int ticks_ = kEveryTicks;              // Until it is asked again.
  int left_ = kQuestions;                // Questions, until something moves.
  bool open_ = false;                    // One waits for its answer, however long that takes.
  bool answered_ = false;                // Since something moved.
  std::set<std::string> had_by_nobody_;  // At the last answer.
  std::set<std::string> to_tell_;
  bool told_ = false;
};

}  // namespace einlass::kafka
