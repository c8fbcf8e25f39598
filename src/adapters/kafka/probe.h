// Finds out that the brokers answer again.
//
// librdkafka says when they are gone, not when they are back, and a gate that has nothing to read
// or to commit would not notice. So while they are gone it asks for an offset of its own group,
// which needs the same broker, login and rights as a commit.
#pragma once

#include <string>

#include "adapters/kafka/handles.h"
#include "units/time.h"

namespace einlass::kafka {

class Probe {
 public:
  Probe(std::string group, std::string topic)
      : group_(std::move(group)), topic_(std::move(topic)) {}

  // Asks, unless an answer is still to come. It comes to `queue` as
  // RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT.
  void ask(rd_kafka_t* client, rd_kafka_queue_t* queue);

  // Takes the answer. Returns whether the brokers gave it.
  bool answered(rd_kafka_event_t* event);

 private:
  static constexpr int kTimeoutMs = 5000;

  std::string group_;
  std::string topic_;
  bool open_ = false;
};

}  // namespace einlass::kafka
