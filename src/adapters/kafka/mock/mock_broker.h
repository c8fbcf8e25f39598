// librdkafka's own mock broker, for the demonstration: real enough for one consumer group, forgets
// everything with the process, and silently drops what is beyond 5 MB a partition. Never for data.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace einlass::kafka {

// REQUIRES: one thread.
class MockBroker {
 public:
  // Throws std::runtime_error if librdkafka cannot start one.
  MockBroker(const std::string& topic, int partitions);
  ~MockBroker();
  MockBroker(const MockBroker&) = delete;
  MockBroker& operator=(const MockBroker&) = delete;

  // host:port, for clients in this and other processes.
  std::string address() const;

  // Produces one record; true once librdkafka has taken it over.
  bool produce(std::string_view key, std::string_view value);

  // How many of them the broker has acknowledged. Serves delivery reports.
  long acknowledged();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
