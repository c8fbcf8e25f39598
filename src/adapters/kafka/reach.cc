#include "adapters/kafka/reach.h"

#include <librdkafka/rdkafka.h>

#include <memory>
#include <stdexcept>

#include "adapters/kafka/configuration.h"
#include "adapters/kafka/handles.h"

namespace einlass::kafka {
namespace {

// The last error that librdkafka told of: it knows why a broker cannot be reached.
void remember(rd_kafka_t*, int, const char* reason, void* last) {
  *static_cast<std::string*>(last) = reason;
}

// A client that only asks, and keeps its last error in `last`. It has no owner and ends with the
// process: destroying it waits for a look-up of a broker's name at any time.
rd_kafka_t* new_client(rd_kafka_type_t type, ConfHandle configuration, std::string& last,
                       const std::string& path) {
  rd_kafka_conf_set_events(configuration.get(), 0);
  rd_kafka_conf_set(configuration.get(), "log.queue", "false", nullptr, 0);
  rd_kafka_conf_set_log_cb(configuration.get(), nullptr);
  rd_kafka_conf_set_error_cb(configuration.get(), remember);
  rd_kafka_conf_set_opaque(configuration.get(), &last);
  char error[512];
  rd_kafka_t* client = rd_kafka_new(type, configuration.get(), error, sizeof error);
  if (client == nullptr) throw std::runtime_error(path + ": " + error);
  (void)configuration.release();  // The client has it now.
  return client;
}

std::string look_up(rd_kafka_t* client, const std::string& name, int timeout_ms) {
  const TopicHandle topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  if (!topic) return rd_kafka_err2str(rd_kafka_last_error());
  const struct rd_kafka_metadata* metadata = nullptr;
  const auto error = rd_kafka_metadata(client, 0, topic.get(), &metadata, timeout_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return rd_kafka_err2str(error);
  const auto of_topic =
      metadata->topic_cnt > 0 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  rd_kafka_metadata_destroy(metadata);
  return of_topic == RD_KAFKA_RESP_ERR_NO_ERROR ? "" : rd_kafka_err2str(of_topic);
}

}  // namespace

void check_configuration(const SourceOptions& options) {
  source_configuration(options, rd_kafka_version());
}

std::vector<std::string> reach(const SourceOptions& options, Duration patience) {
  static std::string last;  // The client may still write to it at the end of the process.
  last.clear();
  rd_kafka_t* client =
      new_client(RD_KAFKA_CONSUMER, source_configuration(options, rd_kafka_version()), last,
                 "kafka.properties");
  std::vector<std::string> trouble;
  for (const SourceOptions::Topic& topic : options.topics) {
    const std::string reason = look_up(client, topic.name, static_cast<int>(patience.us / 1000));
    if (reason.empty()) continue;
    rd_kafka_poll(client, 0);
    if (!last.empty()) return {"brokers " + options.brokers + ": " + last};
    trouble.push_back("topic " + topic.name + ": " + reason);
  }
  return trouble;
}

std::string reach(const TargetOptions& options, Duration patience) {
  // Each target's stays, for the client may still write to it at the end of the process.
  auto& last = *new std::string;
  rd_kafka_t* client =
      new_client(RD_KAFKA_PRODUCER, target_configuration(options), last, properties_path(options));
  const std::string reason = look_up(client, options.topic, static_cast<int>(patience.us / 1000));
  rd_kafka_poll(client, 0);
  return reason.empty() || last.empty() ? reason : last;
}

}  // namespace einlass::kafka
