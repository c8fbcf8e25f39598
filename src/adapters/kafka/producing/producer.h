// An idempotent producer that waits for all replicas, and another in its place when librdkafka
// gives one up.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/login.h"
#include "adapters/kafka/client/message.h"
#include "core/contract/ids.h"
#include "units/id.h"

namespace einlass::kafka {

// One record to write. All views live until put() returns.
struct Produced {
  core::RecordId record;
  const char* topic = "";
  std::optional<PartitionNumber> partition;  // None: librdkafka's partitioner decides.
  std::int64_t timestamp_ms = -1;            // Since 1970; -1 for the moment of writing.
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
};

// Who owns the producer hears of what becomes of records and connections.
class ProducerSink {
 public:
  // The brokers have the record, or it failed. `message` is librdkafka's report.
  virtual void ended(core::RecordId record, const rd_kafka_message_t& message) = 0;
  virtual void trouble(rd_kafka_resp_err_t error, std::string_view reason) = 0;
  virtual void logged(const Trouble& trouble) = 0;
  // librdkafka has given up one producer after the other, and no further one can be had.
  virtual void given_up(std::string_view reason) = 0;
  // Some broker is connected and logged in.
  virtual void brokers_answer() = 0;

 protected:
  ~ProducerSink() = default;
};

// librdkafka refuses the configuration as a whole: its own reason.
struct ProducerRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `sink`.
class Producer {
 public:
  // Logs in with `login` where there is one. Throws ProducerRefused.
  Producer(boost::asio::io_context& io, ConfHandle configuration, ProducerSink& sink,
           std::shared_ptr<Login> login = nullptr);

  // What has not been answered by now never is.
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Without an error the record ends as ProducerSink::ended, exactly once. _FATAL: no producer is
  // usable now, but one may be soon.
  rd_kafka_resp_err_t put(const Produced& record);

  // The same for a record that came back in a report: its topic, key, value and headers. (What
  // librdkafka reports as failed has lost its timestamp.)
  rd_kafka_resp_err_t put_again(const rd_kafka_message_t& message,
                                std::optional<PartitionNumber> partition,
                                std::int64_t timestamp_ms);

  // For one with transactions, which put() never replaces, for somebody may be calling librdkafka
  // with it: librdkafka's producer in use; another one if librdkafka has given the last up, or
  // `anew` says so. Null: none is usable now. REQUIRES: open() is 0, and nobody uses the last.
  rd_kafka_t* client(bool anew = false);

  // From here on it knows where the topic is; librdkafka would look for it when the first record
  // comes, and take up to a second. Again after each replacement. `topic` lives until the next
  // call.
  void get_ready_for(const char* topic);

  std::size_t open() const;  // Records without a report.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
