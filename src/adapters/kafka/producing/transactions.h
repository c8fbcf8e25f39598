// The calls of librdkafka's transactions that wait for the brokers, on a thread of their own.
//
// One at a time. A call that the brokers do not answer is made again for as long as librdkafka says
// that this may help; the loop hears of its end from its io_context.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "adapters/kafka/client/group_offsets.h"

namespace einlass::kafka {

class Transactions {
 public:
  struct Answer {
    TransactionEnd end = TransactionEnd::committed;  // Of open(): committed if the producer is.
    bool stuck = false;  // It could not be aborted either: the client is of no more use.
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;  // Why it was not committed.
    std::string reason{};                                    // librdkafka's own words for that.
  };

  // `answered` is called from `io`.
  Transactions(boost::asio::io_context& io, std::function<void(const Answer&)> answered);

  // Waits for the call under way: a second at most, but where offsets are sent until the brokers
  // have answered, half a minute at most.
  ~Transactions();
  Transactions(const Transactions&) = delete;
  Transactions& operator=(const Transactions&) = delete;

  // Each ends with one answer, and uses `client` until then. REQUIRES: the last one has been
  // answered.

  // Ends what an earlier process with the same transactional.id has left open, and keeps that
  // process from writing any more (KIP-98).
  void open(rd_kafka_t* client);

  // The offsets join the client's transaction, and it is committed; or aborted if it cannot be.
  // REQUIRES: all that was written in it has been acknowledged.
  void commit(rd_kafka_t* client, GroupOffsets offsets);

  void abort(rd_kafka_t* client);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // With what is posted to the io_context.
};

}  // namespace einlass::kafka
