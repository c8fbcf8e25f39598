#include "whole_gate/gate_file.h"

#include "whole_gate/receiver.h"

namespace einlass::whole {
namespace {

std::string number(auto value) { return std::to_string(value); }

std::string urls(const Plan& plan, const char* path) {
  if (plan.servers == 1) return "url: \"http://" + Receiver::host(1) + path + "\"\n";
  std::string text = "urls:\n";
  for (int i = 1; i <= plan.servers; ++i) {
    text += "        - \"http://" + Receiver::host(i) + path + "\"\n";
  }
  return text + "      balance: " + (plan.by_key ? "key" : "round_robin") + "\n";
}

std::string limits_section(const Plan& plan) {
  std::string text = "limits:\n  shared: " + plan.limit + "\n";
  if (plan.attempts > 0) {
    text += "  attempts: {algorithm: concurrency, limit: " + number(plan.attempts) +
            ", lease: 8s, store: redis}\n";
  }
  if (!plan.shares) return text;
  return text + "shares:\n  keys: {by: record_key, weight: {default: 1, k0: 3, \"k*\": 2}}\n";
}

std::string target_section(const Plan& plan, const char* name, const char* path, int edition) {
  std::string text = std::string("  ") + name + ":\n    http:\n      " + urls(plan, path) +
                     "      timeout: " + number(kShortestTimeout / 1'000 + edition % 3 * 200) +
                     "ms\n      http2: " + (plan.http2 ? "always" : "never") +
                     "\n      max_in_flight: " + number(most_in_flight(plan, edition)) + "\n";
  if (plan.together > 1) {
    text += "      batch: {records: " + number(plan.together) + ", format: length_prefixed}\n";
  }
  return text + "    breaker: {max_wait: 5s}\n";
}

std::string route_section(const Plan& plan, const char* name, const std::string& topic,
                          const char* to, int edition) {
  static const char* const kOrders[] = {"none", "partition", "key"};
  return std::string("  - name: ") + name + "\n    topics: [" + topic + "]\n    target: " + to +
         "\n    limits: [shared" + (plan.attempts > 0 ? ", attempts" : "") + "]\n" +
         (plan.shares ? "    share: keys\n" : "") +
         "    order: " + kOrders[static_cast<int>(plan.ordered)] +
         "\n    retry: {initial: " + number(100 + edition % 2 * 50) + "ms, max: 2s}\n";
}

}  // namespace

std::uint64_t most_in_flight(const Plan& plan, int edition) {
  return plan.in_flight + static_cast<std::uint64_t>(edition % 4);
}

std::string configuration(const Plan& plan, const std::string& redis, int edition) {
  std::string text = "instances: 1\nredis: " + redis + "\n";
  if (!plan.table.empty()) text += "quotas: {redis: true}\n";
  text += limits_section(plan) + "targets:\n" + target_section(plan, "t", kFirstPath, edition);
  if (plan.second_target) text += target_section(plan, "u", kSecondPath, edition);
  text += "routes:\n" + route_section(plan, "r", plan.origins.front().topic, "t", edition);
  const Origin& last = plan.origins.back();
  if (last.route == 0) return text;
  return text + route_section(plan, "s", last.topic, plan.second_target ? "u" : "t", edition);
}

}  // namespace einlass::whole
