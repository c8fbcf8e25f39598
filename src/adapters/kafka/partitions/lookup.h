// Asks Kafka where the group and the logs stand, on a thread of its own.
//
// What librdkafka fetches by itself of a committed offset has lost its metadata, and the calls that
// keep it wait for the brokers. So they are made here, one question at a time, and the loop hears
// of the answer from its io_context.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/questions/log_edges.h"
#include "units/id.h"

namespace einlass::kafka {

// A question about one partition, and then its answer.
struct Position {
  std::uint64_t question = 0;  // Comes back as it was.
  std::string topic;
  PartitionNumber number;
  bool ask_group = true;  // Where has the group got to? If nowhere, or not asked: the log's bounds.

  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;  // Then nothing below is known.
  bool left = false;  // Not asked for at all: with others before it the time was over.
  std::optional<Offset> committed;
  std::string metadata;  // Of the commit.
  std::optional<LogBounds> log;
};

class Lookup {
 public:
  // `answered` is called from `io`. `client` is a consumer, and never ends.
  Lookup(boost::asio::io_context& io, rd_kafka_t* client,
         std::function<void(std::vector<Position>)> answered);

  // Does not wait: a thread that is in the middle of a call ends by itself when that returns.
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Each partition is answered once, as soon as enough is known of it, and after seconds at most:
  // with an error if nothing could be learned. REQUIRES: not open().
  void ask(std::vector<Position> question);

  // Of a question something waits for its answer.
  bool open() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // With the thread.
};

}  // namespace einlass::kafka
