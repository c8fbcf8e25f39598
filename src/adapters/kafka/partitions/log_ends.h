// How far the assigned partitions' logs reach, asked every few seconds: what librdkafka knows of it
// is as old as its last fetch, and of a partition that is not read there is none.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "adapters/kafka/partitions/assignment.h"
#include "adapters/kafka/partitions/lookup.h"
#include "units/time.h"

namespace einlass::kafka {

// REQUIRES: one thread; outlived by what the constructor is given.
class LogEnds {
 public:
  LogEnds(boost::asio::io_context& io, rd_kafka_t* client, Assignment& assignment);

  // To be called every second. While no broker is `reachable`, that is why nobody answers, and it
  // says nothing of single partitions.
  void tick(Instant now, bool reachable);

  // Whether nobody has answered for it for a while, and nothing has come of it meanwhile.
  static bool offline(const Partition& partition);

 private:
  void answered(const std::vector<Position>& answers);
  void forget_unanswered();

  Assignment& assignment_;
  int ticks_ = 0;  // Until it is asked again.
  Instant asked_;  // When it was asked last.
  Lookup lookup_;
};

}  // namespace einlass::kafka
