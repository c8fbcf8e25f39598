// For how long Kafka keeps the records of the topics that are read: asked now and then, so that a
// backlog can be compared with it before anything is deleted.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <string>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/source/assignment.h"
#include "units/time.h"

namespace einlass::kafka {

// REQUIRES: one thread; outlived by what the constructor is given.
class Retention {
 public:
  // The most topics that are asked about; of further ones nothing is said.
  static constexpr std::size_t kMostTopics = 100;

  Retention(rd_kafka_t* client, Assignment& assignment);

  // To be called every second. Never waits.
  void tick();

  // Of topics whose configuration this login may read, and that do not keep records for ever.
  const std::map<std::string, Duration>& by_topic() const { return by_topic_; }

 private:
  void ask();
  void take(rd_kafka_event_t* event);

  rd_kafka_t* client_;
  Assignment& assignment_;
  QueueHandle answers_;
  int ticks_ = 0;  // Until it is asked again.
  std::map<std::string, Duration> by_topic_;
};

}  // namespace einlass::kafka
