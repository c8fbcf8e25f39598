// One real broker for all the tests of this program that need one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/harness.h"
#include "adapters/kafka/real_broker.h"

namespace einlass::kafka::testing {

inline std::vector<std::int64_t> range(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(to - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

// As a gate with exactly_once leaves one that is killed: the offset of partition 0 of the topic,
// for the group of the same name, is neither committed nor not.
class OpenTransaction {
 public:
  OpenTransaction(const std::string& brokers, const std::string& topic, std::int64_t offset) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "transactional.id", topic.c_str(), nullptr, 0);
    killed_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    EXPECT_EQ(rd_kafka_init_transactions(killed_, 20'000), nullptr);
    EXPECT_EQ(rd_kafka_begin_transaction(killed_), nullptr);
    const ListHandle list(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0)->offset = offset;
    const GroupMemberHandle member(rd_kafka_consumer_group_metadata_new(topic.c_str()));
    EXPECT_EQ(rd_kafka_send_offsets_to_transaction(killed_, list.get(), member.get(), 20'000),
              nullptr);
  }
  ~OpenTransaction() { rd_kafka_destroy(killed_); }
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;

  void commit() { EXPECT_EQ(rd_kafka_commit_transaction(killed_, 20'000), nullptr); }

 private:
  rd_kafka_t* killed_;
};

class RealBrokerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (broker != nullptr) return;
    broker = new RealBroker;
    producer = new Producer(broker->brokers());
    admin = new Operator(*producer);
  }

  static SourceOptions options_for(const std::string& name, const std::string& instance = "") {
    SourceOptions made = options(broker->brokers(), name, name);
    made.instance = instance;
    made.revoke_timeout = Duration::seconds(3);
    made.properties["session.timeout.ms"] = "30000";
    made.properties["topic.metadata.refresh.interval.ms"] = "1000";
    return made;
  }

  static SourceOptions with_wrong_password(const std::string& name) {
    SourceOptions made = options_for(name);
    made.brokers = broker->sasl_brokers();
    made.properties["security.protocol"] = "sasl_plaintext";
    made.properties["sasl.mechanisms"] = "PLAIN";
    made.properties["sasl.username"] = "gate";
    made.properties["sasl.password"] = "wrong-password";
    return made;
  }

  static inline RealBroker* broker = nullptr;
  static inline Producer* producer = nullptr;
  static inline Operator* admin = nullptr;

 private:
  struct End : ::testing::Environment {
    void TearDown() override {
      delete admin;
      delete producer;
      delete broker;
    }
  };
  static inline ::testing::Environment* const kEnd = ::testing::AddGlobalTestEnvironment(new End);
};

}  // namespace einlass::kafka::testing
