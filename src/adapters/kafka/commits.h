// Commits, one at a time, and each answered exactly once.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "adapters/kafka/assignment.h"
#include "adapters/kafka/handles.h"
#include "core/command.h"
#include "core/event.h"

namespace einlass::kafka {

class Commits {
 public:
  // `events` gets the answers.
  Commits(Assignment& assignment, core::Events& events)
      : assignment_(assignment), events_(events) {}

  // Commits asynchronously; the result comes to `queue`. Entries of partitions that are lost or
  // out of use are left out. Ends as core::CommitEnded, at once if nothing can be sent.
  // REQUIRES: none is open.
  void begin(rd_kafka_t* client, rd_kafka_queue_t* queue,
             std::span<const core::CommitEntry> entries);

  // Takes librdkafka's answer. Returns its error code.
  rd_kafka_resp_err_t ended(rd_kafka_t* client, rd_kafka_queue_t* queue, rd_kafka_event_t* event);

  // The assignment is lost: the open commit ends as fenced. What librdkafka has already cannot be
  // called back, so the next commit waits until that has been answered: two on the way could
  // arrive in the wrong order.
  void give_up();

  bool open() const { return open_; }

 private:
  void send(rd_kafka_t* client, rd_kafka_queue_t* queue, ListHandle list);
  void end(core::CommitResult result);

  Assignment& assignment_;
  core::Events& events_;
  bool open_ = false;    // The gate waits for an answer.
  bool on_way_ = false;  // librdkafka has a commit that it has not answered.
  ListHandle waiting_;   // The open commit, while one that was given up is still on its way.
};

}  // namespace einlass::kafka
