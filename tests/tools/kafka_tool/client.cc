#include "tools/kafka_tool/client.h"

#include <array>

namespace einlass::tools {
namespace {

constexpr int kTimeoutMs = 30'000;

}  // namespace

Client make_client(rd_kafka_type_t type, const Properties& properties, Reported reported,
                   void* opaque) {
  std::array<char, 512> error{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), error.data(), error.size()) !=
        RD_KAFKA_CONF_OK) {
      rd_kafka_conf_destroy(conf);
      throw std::runtime_error(error.data());
    }
  }
  rd_kafka_conf_set_dr_msg_cb(conf, reported);
  rd_kafka_conf_set_opaque(conf, opaque);
  Client client(rd_kafka_new(type, conf, error.data(), error.size()));
  if (!client) {
    rd_kafka_conf_destroy(conf);
    throw std::runtime_error(error.data());
  }
  return client;
}

void require(rd_kafka_resp_err_t error, const std::string& what) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error(what + ": " + rd_kafka_err2str(error));
  }
}

int partition_count(rd_kafka_t* client, const std::string& topic) {
  rd_kafka_topic_t* handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
  const rd_kafka_metadata_t* found = nullptr;
  const auto error = rd_kafka_metadata(client, 0, handle, &found, kTimeoutMs);
  rd_kafka_topic_destroy(handle);
  require(error, "metadata of " + topic);
  const auto problem = found->topics[0].err;
  const int count = found->topics[0].partition_cnt;
  rd_kafka_metadata_destroy(found);
  require(problem, "topic " + topic);
  return count;
}

std::vector<std::int64_t> end_offsets(rd_kafka_t* client, const std::string& topic) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(partition_count(client, topic)));
  for (std::size_t partition = 0; partition < ends.size(); ++partition) {
    std::int64_t low = 0;
    auto error = RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
    // Where the handle of partition_count() goes just then, librdkafka forgets what it has heard.
    for (int i = 0; i < 5 && error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION; ++i) {
      error = rd_kafka_query_watermark_offsets(client, topic.c_str(),
                                               static_cast<std::int32_t>(partition), &low,
                                               &ends[partition], kTimeoutMs);
    }
    require(error, "end offset of " + topic);
  }
  return ends;
}

}  // namespace einlass::tools
