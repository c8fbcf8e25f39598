// How far the assigned partitions' logs reach, asked every few seconds: what librdkafka knows of it
// is as old as its last fetch, and of a partition that is not read there is none.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "adapters/kafka/source/assignment.h"
#include "adapters/kafka/source/lookup.h"

namespace einlass::kafka {

// REQUIRES: one thread; outlived by what the constructor is given.
class LogEnds {
 public:
  LogEnds(boost::asio::io_context& io, rd_kafka_t* client, Assignment& assignment);

  // To be called every second.
  void tick();

 private:
  void answered(const std::vector<Position>& answers);

  Assignment& assignment_;
  int ticks_ = 0;  // Until it is asked again.
  Lookup lookup_;
};

}  // namespace einlass::kafka
