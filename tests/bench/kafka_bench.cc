// What one record costs the whole process when its target is a Kafka topic: kafka::Target and
// librdkafka's threads, without the gate. 1 KB with a key and two headers.
//
//     kafka_bench BROKERS TOPIC [PROPERTY=VALUE]...
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "adapters/kafka/producing/target.h"

namespace {

using namespace einlass;

constexpr std::uint32_t kRecords = 200'000;
constexpr int kRounds = 3;

struct Figures {
  double cpu_us = 0;
  double seconds = 0;
};

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) { return double(t.tv_sec) * 1e6 + double(t.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// Keeps `in_flight` records on their way until all are there.
Figures round(boost::asio::io_context& io, kafka::Target& target, core::Events& events,
              std::uint32_t in_flight) {
  const std::string value(1024, 'x');
  const std::vector<kafka::Header> headers = {
      {"tenant", "acme"},
      {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}};
  std::vector<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < in_flight; ++i) slots.push_back(i);
  const auto start = std::chrono::steady_clock::now();
  const double before = cpu_us();
  std::uint32_t sent = 0;
  std::uint32_t done = 0;
  std::string key;
  while (done < kRecords) {
    for (; !slots.empty() && sent < kRecords; ++sent) {
      key = std::to_string(sent % 1000);
      target.send({{slots.back(), 0}, {1}, {0}, 1'753'690'000'000, key, value, headers});
      slots.pop_back();
    }
    io.run_one();
    for (const core::Event& event : events) {
      const auto& ended = std::get<core::DeliveryEnded>(event);
      if (ended.outcome != core::Outcome::accepted) {
        std::fprintf(stderr, "not accepted: %s\n", target.status().trouble.c_str());
        std::exit(1);
      }
      slots.push_back(ended.record.slot);
      ++done;
    }
    events.clear();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {(cpu_us() - before) / kRecords, seconds.count()};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "kafka_bench BROKERS TOPIC [PROPERTY=VALUE]...\n");
    return 64;
  }
  kafka::TargetOptions options;
  options.name = "bench";
  options.brokers = arguments[1];
  options.topic = arguments[2];
  for (int i = 3; i < count; ++i) {
    const std::string text = arguments[i];
    options.properties[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  boost::asio::io_context io(1);
  core::Events events;
  kafka::Target target(io, options, events, [](const Notice& notice) {
    std::fprintf(stderr, "%s: %s\n", notice.what.c_str(), notice.detail.c_str());
  });
  for (const std::uint32_t in_flight : {64u, 1000u, 10000u}) {
    Figures best{1e9, 0};
    for (int i = 0; i < kRounds; ++i) {
      const Figures one = round(io, target, events, in_flight);
      if (one.cpu_us < best.cpu_us) best = one;
    }
    std::printf("%5u in flight: %.2f us a record, %.0f records a second\n", in_flight, best.cpu_us,
                kRecords / best.seconds);
  }
  std::fflush(stdout);
  std::_Exit(0);
}
