#include "config/options/route_topics.h"

#include <algorithm>
#include <set>

#include "text/ascii.h"
#include "units/topic_pattern.h"

namespace einlass::config {
namespace {

std::vector<TopicPattern> patterns_of(const std::vector<Route>& routes) {
  std::vector<TopicPattern> patterns;
  for (const Route& route : routes) {
    for (const std::string& topic : route.topics) {
      if (TopicPattern::is_one(topic)) patterns.emplace_back(topic);
    }
  }
  return patterns;
}

// What is no input: what the routes write on the cluster that is read from, and the quotas.
std::set<std::string> never_by_pattern(const Config& config) {
  std::set<std::string> topics;
  for (const Route& route : config.routes) {
    if (!route.dead_letter.empty()) topics.insert(route.dead_letter);
  }
  for (const Target& target : config.targets) {
    if (on_the_same_cluster(config.kafka, target)) topics.insert(target.kafka()->topic);
  }
  if (config.quotas && !config.quotas->topic.empty()) topics.insert(config.quotas->topic);
  return topics;
}

}  // namespace

// The brokers that are written are only those who are asked first for all of their cluster.
bool on_the_same_cluster(const Kafka& kafka, const Target& target) {
  const KafkaTarget* there = target.kafka();
  return there != nullptr && std::ranges::find_first_of(there->brokers, kafka.brokers, same_name) !=
                                 there->brokers.end();
}

std::vector<std::string> left_out_of_patterns(const Config& config) {
  const std::vector<TopicPattern> patterns = patterns_of(config.routes);
  std::vector<std::string> left_out;
  for (const std::string& topic : never_by_pattern(config)) {
    const bool fits = std::any_of(patterns.begin(), patterns.end(),
                                  [&](const TopicPattern& one) { return one.fits(topic); });
    if (fits && reader_of(config.routes, topic) < 0) left_out.push_back(topic);
  }
  return left_out;
}

bool reads(const Route& route, std::string_view topic) {
  return std::find(route.topics.begin(), route.topics.end(), topic) != route.topics.end();
}

bool is_read(const Config& config, const std::string& topic) {
  if (reader_of(config.routes, topic) >= 0) return true;
  const std::vector<TopicPattern> patterns = patterns_of(config.routes);
  const bool fits = std::any_of(patterns.begin(), patterns.end(),
                                [&](const TopicPattern& one) { return one.fits(topic); });
  return fits && !never_by_pattern(config).contains(topic);
}

int reader_of(const std::vector<Route>& routes, std::string_view topic) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (reads(routes[i], topic)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace einlass::config
