#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/metrics/sections.h"

namespace einlass::metrics {
namespace {

void add_consumer(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_kafka_joined",
             "1 while every shard is a member of the consumer group, as far as it knows.");
  page.add({}, std::uint64_t{snapshot.consumer.joined});
  page.gauge("einlass_kafka_brokers_down", "1 while no broker can be reached.");
  page.add({}, std::uint64_t{snapshot.consumer.brokers_down});
  page.counter("einlass_partition_changes_total",
               "Partitions that this gate was given to read (assigned; once more where it begins "
               "one anew), that the group revoked (revoked), or took away without a handover "
               "(lost): nothing of the latter is committed.");
  page.add({{"change", "assigned"}}, snapshot.consumer.assigned);
  page.add({{"change", "revoked"}}, snapshot.consumer.revoked);
  page.add({{"change", "lost"}}, snapshot.consumer.lost);
  page.counter("einlass_partitions_filled_by_flow_total",
               "How often a partition was read no further because nearly all of its records are of "
               "one flow of a share; looked at once in ten minutes.");
  page.add({}, snapshot.consumer.filled_by_flow);
  page.counter("einlass_commits_total",
               "Commits by result, those in transactions (exactly_once) too: committed, failed "
               "(retried), or fenced (the group no longer knows this gate).");
  page.add({{"result", "committed"}}, snapshot.consumer.commits);
  page.add({{"result", "failed"}}, snapshot.consumer.commits_failed);
  page.add({{"result", "fenced"}}, snapshot.consumer.commits_fenced);
}

// What a page says of one partition, or of all those beyond the bound.
struct Shown {
  std::string topic;
  std::string number;
  std::optional<Offset> committed;
  std::uint64_t finished_ahead = 0;
  std::optional<std::uint64_t> lag;
  double oldest_seconds = 0;
  std::optional<double> lag_seconds;
  std::optional<Offset> log_start;
};

Shown rest_of(std::span<const Partition> partitions) {
  Shown rest{"other", "other", std::nullopt, 0, std::nullopt, 0, std::nullopt, std::nullopt};
  for (const Partition& it : partitions) {
    rest.finished_ahead += it.finished_ahead;
    if (it.lag) rest.lag = rest.lag.value_or(0) + *it.lag;
    rest.oldest_seconds = std::max(rest.oldest_seconds, it.oldest_seconds);
    rest.lag_seconds = std::max(rest.lag_seconds, it.lag_seconds);
  }
  return rest;
}

std::vector<Shown> shown(const std::vector<Partition>& partitions) {
  const std::size_t named = std::min(partitions.size(), kMostPartitions);
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < named; ++i) {
    const Partition& it = partitions[i];
    shown.push_back({it.topic, std::to_string(it.number.value), it.committed, it.finished_ahead,
                     it.lag, it.oldest_seconds, it.lag_seconds, it.log_start});
  }
  if (named < partitions.size()) shown.push_back(rest_of(std::span(partitions).subspan(named)));
  return shown;
}

void add_ledger(Families& page, const std::vector<Shown>& partitions) {
  page.gauge("einlass_committed_offset",
             "The committed offset (the next to read), as Kafka last acknowledged it, or as the "
             "group had it when the partition came. Missing while the group has none.");
  for (const Shown& it : partitions) {
    if (!it.committed) continue;
    page.add({{"topic", it.topic}, {"partition", it.number}},
             static_cast<double>(it.committed->value));
  }
  page.gauge("einlass_finished_ahead_records",
             "Records that finished out of order: they are behind an unfinished one, so the "
             "committed offset cannot pass them yet.");
  for (const Shown& it : partitions) {
    page.add({{"topic", it.topic}, {"partition", it.number}}, it.finished_ahead);
  }
  page.gauge("einlass_lag_records",
             "Lag: offsets from the committed one to the end of the partition's log, as the broker "
             "said in the last seconds; records in the gate and records not read yet. Missing "
             "before the broker has said so.");
  for (const Shown& it : partitions) {
    if (it.lag) page.add({{"topic", it.topic}, {"partition", it.number}}, *it.lag);
  }
  page.gauge(
      "einlass_lag_seconds",
      "Lag in time: the age of the oldest unfinished record, by its timestamp in Kafka, so "
      "that it does not start again after a restart or a rebalance. While none is in the "
      "gate, as while its topic is paused, the most that the age of the next can be. 0 if the "
      "partition has been delivered to its end; missing while unknown, as where nothing was "
      "read since the start.");
  for (const Shown& it : partitions) {
    if (it.lag_seconds) page.add({{"topic", it.topic}, {"partition", it.number}}, *it.lag_seconds);
  }
  page.gauge("einlass_log_start_offset",
             "The first offset of the partition that Kafka has not deleted. When it passes "
             "einlass_committed_offset, records are lost.");
  for (const Shown& it : partitions) {
    if (!it.log_start) continue;
    page.add({{"topic", it.topic}, {"partition", it.number}},
             static_cast<double>(it.log_start->value));
  }
  page.gauge("einlass_oldest_unfinished_age_seconds",
             "Time since the partition's oldest unfinished record was read; no commit has passed "
             "it since. 0 if none is in the gate.");
  for (const Shown& it : partitions) {
    page.add({{"topic", it.topic}, {"partition", it.number}}, it.oldest_seconds);
  }
}

// Patterns may bring any number of topics. One that is called as the rest is counts with it: no
// series may stand there twice.
std::vector<Topic> bounded(const std::vector<Topic>& topics) {
  if (topics.size() <= kMostTopics) return topics;
  std::vector<Topic> shown(topics.begin(), topics.begin() + kMostTopics);
  auto rest = std::find_if(shown.begin(), shown.end(),
                           [](const Topic& topic) { return topic.name == "other"; });
  if (rest == shown.end()) rest = shown.insert(rest, Topic{.name = "other"});
  for (std::size_t i = kMostTopics; i < topics.size(); ++i) {
    rest->skipped_by_retention += topics[i].skipped_by_retention;
    rest->skipped_by_recreation += topics[i].skipped_by_recreation;
    rest->skipped_by_reset += topics[i].skipped_by_reset;
  }
  return shown;
}

void add_topics(Families& page, const Snapshot& snapshot) {
  page.gauge("einlass_topic_info", "Always 1; the labels name the route of each topic.");
  for (const Topic& topic : bounded(snapshot.topics)) {
    if (!topic.route.empty()) page.add({{"topic", topic.name}, {"route", topic.route}}, 1.0);
  }
  page.gauge("einlass_topic_retention_seconds",
             "How long Kafka keeps the topic's records (retention.ms). Missing if it keeps them "
             "forever, and if this login may not read the topic's configuration.");
  for (const Topic& topic : bounded(snapshot.topics)) {
    if (topic.retention_seconds) page.add({{"topic", topic.name}}, *topic.retention_seconds);
  }
  page.counter("einlass_offsets_skipped_total",
               "Offsets that were never read: Kafka had deleted them by age or size (retention), "
               "the topic was recreated (recreated), or auto_offset_reset is latest (reset).");
  for (const Topic& topic : bounded(snapshot.topics)) {
    page.add({{"topic", topic.name}, {"reason", "retention"}}, topic.skipped_by_retention);
    page.add({{"topic", topic.name}, {"reason", "recreated"}}, topic.skipped_by_recreation);
    page.add({{"topic", topic.name}, {"reason", "reset"}}, topic.skipped_by_reset);
  }
}

}  // namespace

void add_kafka(Families& page, const Snapshot& snapshot) {
  add_consumer(page, snapshot);
  add_ledger(page, shown(snapshot.partitions));
  add_topics(page, snapshot);
}

}  // namespace einlass::metrics
