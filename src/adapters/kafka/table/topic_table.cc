#include "adapters/kafka/table/topic_table.h"

#include <librdkafka/rdkafka.h>

#include <map>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/producing/producer.h"
#include "adapters/kafka/table/topic_follower.h"

namespace einlass::kafka {
namespace {

std::string reason_text(rd_kafka_resp_err_t error) { return rd_kafka_err2str(error); }

}  // namespace

// Writes, each with a number of its own.
struct TopicTable::Writer final : ProducerSink {
  Writer(boost::asio::io_context& io, const TopicTableOptions& options, Notify notify_people)
      : topic(options.topic),
        notify(std::move(notify_people)),
        producer(io,
                 fleet_table_configuration({options.brokers, options.properties, options.login}),
                 *this, options.login) {}

  void write(const std::string& key, const std::optional<std::string>& text, Written done) {
    Produced record;
    record.record = core::RecordId{++writes, 0};
    record.topic = topic.c_str();
    record.key = key;
    if (text) record.value = *text;
    if (const auto error = producer.put(record)) return done(reason_text(error));
    open.emplace(writes, std::move(done));
  }

  void ended(core::RecordId record, const rd_kafka_message_t& message) override {
    const auto found = open.find(record.slot);
    if (found == open.end()) return;
    const Written done = std::move(found->second);
    open.erase(found);
    done(message.err ? reason_text(message.err) : "");
  }
  // What is wrong with the brokers the reader says too.
  void trouble(rd_kafka_resp_err_t, std::string_view) override {}
  void logged(const Trouble&) override {}
  void brokers_answer() override {}
  void given_up(std::string_view reason) override {
    notify({Severity::error, "quotas_not_writable",
            "librdkafka has given up writing to " + topic + ": " + std::string(reason) +
                "; restart the gate"});
  }

  const std::string topic;
  const Notify notify;
  std::uint32_t writes = 0;
  std::map<std::uint32_t, Written> open;  // By number; bounded by the producer's queue.
  Producer producer;
};

TopicTable::TopicTable(boost::asio::io_context& io, TopicTableOptions options, Listener& listener,
                       Notify notify)
    : follower_(std::make_unique<TopicFollower>(io, options, listener)),
      writer_(std::make_unique<Writer>(io, options, std::move(notify))) {}

TopicTable::~TopicTable() = default;

void TopicTable::write(const std::string& key, const std::optional<std::string>& text,
                       Written written) {
  writer_->write(key, text, std::move(written));
}

}  // namespace einlass::kafka
