#include "adapters/kafka/mock/mock_broker.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <stdexcept>

namespace einlass::kafka {

struct MockBroker::State {
  std::string topic;
  rd_kafka_t* owner = nullptr;  // The cluster needs a client to live in.
  rd_kafka_mock_cluster_t* cluster = nullptr;
  rd_kafka_t* producer = nullptr;
  long acknowledged = 0;

  ~State() {
    if (producer != nullptr) rd_kafka_destroy(producer);
    if (cluster != nullptr) rd_kafka_mock_cluster_destroy(cluster);
    if (owner != nullptr) rd_kafka_destroy(owner);
  }
};

namespace {

rd_kafka_t* new_producer(rd_kafka_conf_t* conf) {
  char error[512];
  // Only what is worse than a warning: the cluster's owner has no servers of its own, and says so.
  rd_kafka_conf_set(conf, "log_level", "3", error, sizeof error);
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (producer == nullptr) {
    rd_kafka_conf_destroy(conf);
    throw std::runtime_error(std::string("the mock broker cannot start: ") + error);
  }
  return producer;
}

void count_report(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) ++*static_cast<long*>(opaque);
}

}  // namespace

MockBroker::MockBroker(const std::string& topic, int partitions)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.topic = topic;
  state.owner = new_producer(rd_kafka_conf_new());
  state.cluster = rd_kafka_mock_cluster_new(state.owner, 1);
  if (state.cluster == nullptr) throw std::runtime_error("the mock broker cannot start");
  if (rd_kafka_mock_topic_create(state.cluster, topic.c_str(), partitions, 1) !=
      RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error("the mock broker cannot make the topic " + topic);
  }
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char error[512];
  rd_kafka_conf_set(conf, "bootstrap.servers", address().c_str(), error, sizeof error);
  rd_kafka_conf_set(conf, "linger.ms", "5", error, sizeof error);
  rd_kafka_conf_set_dr_msg_cb(conf, count_report);
  rd_kafka_conf_set_opaque(conf, &state.acknowledged);
  state.producer = new_producer(conf);
}

MockBroker::~MockBroker() = default;

std::string MockBroker::address() const {
  return rd_kafka_mock_cluster_bootstraps(state_->cluster);
}

bool MockBroker::produce(std::string_view key, std::string_view value) {
  const auto result = rd_kafka_producev(
      state_->producer, RD_KAFKA_V_TOPIC(state_->topic.c_str()),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(key.data(), key.size()),
      RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()), RD_KAFKA_V_END);
  return result == RD_KAFKA_RESP_ERR_NO_ERROR;
}

long MockBroker::acknowledged() {
  rd_kafka_poll(state_->producer, 0);
  return state_->acknowledged;
}

}  // namespace einlass::kafka
