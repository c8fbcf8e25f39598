// A real broker in a process of its own, which ends with this one.
#pragma once

#include <fcntl.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/kafka/harness.h"
#include "adapters/temporary_directory.h"

namespace einlass::kafka::testing {

// A child process with pipes for its input and output; killed at the end.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    int input[2], output[2];
    if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe");
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      // A test that is a child is wanted whole.
      for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(name);
      ::dup2(input[0], 0);
      ::dup2(output[1], 1);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    output_ = output[0];
  }
  ~Child() {
    ::close(output_);
    end_input();
    kill(SIGKILL);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next line of its output; empty at its end.
  std::string line() {
    std::string text;
    for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }

  void end_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }

  void kill(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    wait();
  }

  // Without waiting for what comes of it.
  void signal(int signal) { ::kill(pid_, signal); }

  void wait() {
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

// deploy/local/kafka.py, with a SASL listener for the user `gate`.
class RealBroker {
 public:
  RealBroker() { start(); }
  ~RealBroker() {
    if (child_ != nullptr) kill();  // It would take its time to leave politely.
  }
  RealBroker(const RealBroker&) = delete;
  RealBroker& operator=(const RealBroker&) = delete;

  void start() {
    const auto script =
        std::filesystem::path(__FILE__).parent_path() / "../../../deploy/local/kafka.py";
    child_ = std::make_unique<Child>(std::vector<std::string>{
        "python3", script.string(), "--dir", directory_.path(), "--sasl", "gate:right-password"});
    const std::string line = child_->line();
    brokers_ = value(line, "brokers=");
    sasl_brokers_ = value(line, "sasl_brokers=");
    pid_ = std::stoi(value(line, "pid="));
  }

  // SIGKILL to the broker. start() brings it back with its data, on the same port.
  void kill() {
    ::kill(pid_, SIGKILL);
    child_->wait();
    child_.reset();
  }

  // As SIGSTOP, after which it is there and silent, and SIGCONT.
  void signal(int signal) { ::kill(pid_, signal); }

  const std::string& brokers() const { return brokers_; }
  const std::string& sasl_brokers() const { return sasl_brokers_; }

 private:
  static std::string value(const std::string& line, const std::string& name) {
    const auto at = (" " + line).find(" " + name);
    if (at == std::string::npos) throw std::runtime_error("kafka.py said: '" + line + "'");
    const auto start = at + name.size();
    return line.substr(start, line.find(' ', start) - start);
  }

  adapters::testing::TemporaryDirectory directory_;
  std::unique_ptr<Child> child_;
  std::string brokers_;
  std::string sasl_brokers_;
  int pid_ = 0;
};

// What an operator does to topics, by the client of a producer. Each waits until it is done.
class Operator {
 public:
  explicit Operator(Producer& producer) : producer_(producer) {}

  void create_topic(const std::string& name, int partitions, const char* cleanup = "delete") {
    rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(name.c_str(), partitions, 1, nullptr, 0);
    rd_kafka_NewTopic_set_config(topic, "cleanup.policy", cleanup);
    ask([&](auto* queue) { rd_kafka_CreateTopics(client(), &topic, 1, nullptr, queue); });
    rd_kafka_NewTopic_destroy(topic);
    for (int i = 0; i < partitions; ++i) wait_until_empty(name, i);
  }

  void delete_topic(const std::string& name) {
    rd_kafka_DeleteTopic_t* topic = rd_kafka_DeleteTopic_new(name.c_str());
    ask([&](auto* queue) { rd_kafka_DeleteTopics(client(), &topic, 1, nullptr, queue); });
    rd_kafka_DeleteTopic_destroy(topic);
    producer_.forget();
  }

  // Gives a topic more partitions, up to so many.
  void add_partitions(const std::string& name, int partitions) {
    char reason[256];
    rd_kafka_NewPartitions_t* more = rd_kafka_NewPartitions_new(
        name.c_str(), static_cast<std::size_t>(partitions), reason, sizeof reason);
    ask([&](auto* queue) { rd_kafka_CreatePartitions(client(), &more, 1, nullptr, queue); });
    rd_kafka_NewPartitions_destroy(more);
  }

  // Deletes what is before an offset, as retention does.
  void delete_before(const std::string& name, std::int32_t partition, std::int64_t offset) {
    rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, name.c_str(), partition)->offset = offset;
    rd_kafka_DeleteRecords_t* records = rd_kafka_DeleteRecords_new(list);
    ask([&](auto* queue) { rd_kafka_DeleteRecords(client(), &records, 1, nullptr, queue); });
    rd_kafka_DeleteRecords_destroy(records);
    rd_kafka_topic_partition_list_destroy(list);
  }

 private:
  rd_kafka_t* client() { return producer_.client(); }

  // The broker may still serve a log of that name that was deleted just now.
  void wait_until_empty(const std::string& name, int partition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      std::int64_t start = 0, end = -1;
      const auto error =
          rd_kafka_query_watermark_offsets(client(), name.c_str(), partition, &start, &end, 1000);
      if (!error && end == 0) return;
      producer_.forget();  // It may remember that there is no such topic, or the one before.
    }
    throw std::runtime_error("the new topic " + name + " is not empty");
  }

  template <typename Request>
  void ask(const Request& request) {
    rd_kafka_queue_t* queue = rd_kafka_queue_new(client());
    request(queue);
    rd_kafka_event_t* event = rd_kafka_queue_poll(queue, 10'000);
    const auto error =
        event == nullptr ? RD_KAFKA_RESP_ERR__TIMED_OUT : rd_kafka_event_error(event);
    rd_kafka_event_destroy(event);
    rd_kafka_queue_destroy(queue);
    if (error) throw std::runtime_error(rd_kafka_err2str(error));
  }

  Producer& producer_;
};

}  // namespace einlass::kafka::testing
