// A target with everything around it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/harness.h"
#include "adapters/kafka/producing/target.h"

namespace einlass::kafka::testing {

class TargetBench {
 public:
  explicit TargetBench(TargetOptions options)
      : target(std::make_unique<Target>(
            io, std::move(options), events,
            [this](const Notice& notice) { notices.push_back(notice); })) {}
  ~TargetBench() {
    if (!::testing::Test::HasFailure()) return;
    for (const Notice& notice : notices) {
      std::printf("%s: %s\n", notice.what.c_str(), notice.detail.c_str());
    }
  }

  static TargetOptions options(const std::string& brokers, const std::string& topic) {
    TargetOptions made;
    made.name = "archive";
    made.topic = topic;
    made.brokers = brokers;
    return made;
  }

  void send(TargetRecord record) {
    if (record.attempt.value == 0) record.attempt = core::Attempt{1};
    target->send(record);
  }
  void send(std::uint32_t slot, const std::string& value, std::optional<std::string> key = {}) {
    TargetRecord record;
    record.record = {slot, slot + 1};
    record.value = value;
    if (key) record.key = *key;
    send(record);
  }

  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds patience = kPatience) {
    const auto deadline = steady_clock::now() + patience;
    while (!done()) {
      if (steady_clock::now() > deadline) return false;
      io.run_one_for(std::chrono::milliseconds(20));
      if (io.stopped()) io.restart();
    }
    return true;
  }
  bool wait_for(std::size_t count, std::chrono::milliseconds patience = kPatience) {
    return run_until([&] { return events.size() >= count; }, patience) && events.size() == count;
  }

  core::DeliveryEnded ended(std::size_t i) const {
    return std::get<core::DeliveryEnded>(events.at(i));
  }
  core::Outcome outcome(std::size_t i) const { return ended(i).outcome; }
  std::size_t accepted() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < events.size(); ++i) count += outcome(i) == core::Outcome::accepted;
    return count;
  }
  // The reasons of those that were not accepted.
  std::vector<std::string> failures() const {
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(ended(i).reason.empty(), outcome(i) == core::Outcome::accepted) << i;
      if (outcome(i) != core::Outcome::accepted) reasons.push_back(ended(i).reason);
    }
    return reasons;
  }
  std::size_t count_notices(const std::string& what) const {
    std::size_t count = 0;
    for (const Notice& one : notices) count += one.what == what;
    return count;
  }

  boost::asio::io_context io;
  core::Events events;
  std::vector<Notice> notices;
  std::unique_ptr<Target> target;
};

}  // namespace einlass::kafka::testing
