// A gate's steering over a table that its tests tell what to say.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/steering/steering.h"
#include "unit/app/steering/fake_table.h"

namespace einlass::app {

using Kind = Subject::Kind;

inline constexpr char kConfig[] = R"(
quotas: {topic: einlass.quotas}
kafka: {brokers: [localhost:9092], group: g}
limits:
  per_tenant: {algorithm: sliding_log, limit: 100, window: 1s, key: record_key}
  all: {algorithm: token_bucket, rate: 100/s, burst: 10}
  tried: {algorithm: sliding_log, limit: 100, window: 1s, key: record_key, shadow: true}
shares:
  tenants: {by: record_key, weight: {default: 2, acme: 4}}
  alone: {}
targets:
  a: {http: {url: "http://localhost/"}}
  idle: {http: {url: "http://localhost/idle"}}
routes:
  - {name: results, topics: [t, "^eu[.]"], target: a, limits: [per_tenant, all, tried], dead_letter: eu.d}
)";

class SteeringTest : public ::testing::Test {
 protected:
  SteeringTest() {
    steering.start([this](FleetTable::Listener& listener) {
      auto made = std::make_unique<FakeTable>(listener);
      table = made.get();
      return made;
    });
  }

  void tell(const std::string& key, const char* text) { steering.entry(key, text); }
  void take_out(const std::string& key) { steering.entry(key, std::nullopt); }
  void whole() {
    steering.reading();
    steering.whole();
  }
  std::int64_t limit_of(const std::string& key) const {
    const auto found = values.find(0, key);
    if (!found) return 100;
    return std::get<limits::SlidingLogParameters>(found->parameters).limit.value;
  }
  Steering::Outcome set(const Subject& subject, const std::string& text) {
    std::optional<Steering::Outcome> said;
    auto read = read_steer(subject, text);
    steering.set(subject, std::get<Steer>(read), "ann", [&](const auto& it) { said = it; });
    run_until([&] { return said.has_value(); });
    return said.value_or(Steering::Outcome{0, "nothing was said"});
  }
  Steering::Outcome unset(const Subject& subject) {
    Steering::Outcome said{0, ""};
    steering.unset(subject, "ann", [&](const auto& it) { said = it; });
    return said;
  }
  bool run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return done();
  }
  std::size_t count(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(notices, what, &Notice::what));
  }

  boost::asio::io_context io;
  const Clock clock;
  config::Config config = read(kConfig);
  LimitValues values{config};
  FlowWeights weights;
  std::vector<Notice> notices;
  std::vector<Pauses> pauses;
  int ready = 0;
  Steering steering{io,
                    config,
                    values,
                    weights,
                    clock,
                    {.notify = [this](const Notice& notice) { notices.push_back(notice); },
                     .paused = [this](const Pauses& now) { pauses.push_back(now); },
                     .ready = [this] { ++ready; }}};
  FakeTable* table = nullptr;
  const Subject acme{Kind::quota, "per_tenant", "acme"}, results{Kind::route, "results", ""};
};

}  // namespace einlass::app
