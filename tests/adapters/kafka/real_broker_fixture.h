// One real broker for all the tests of this program that need one.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "adapters/kafka/harness.h"
#include "adapters/kafka/real_broker.h"

namespace einlass::kafka::testing {

inline std::vector<std::int64_t> range(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(to - from));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

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
