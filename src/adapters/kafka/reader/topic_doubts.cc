// Partitions whose logs do not go where they should: records may have been deleted before they were
// read, or the log is another one. Kafka is asked which of these it is.
#include <algorithm>
#include <string>
#include <utility>

#include "adapters/kafka/reader/topic_reader_state.h"

namespace einlass::kafka {
namespace {

std::string name_of(const Partition& partition) {
  return partition.topic + " partition " + std::to_string(partition.number.value);
}

std::string text_of(rd_kafka_error_t* error) {
  const ErrorHandle owned(error);
  return error == nullptr ? std::string() : rd_kafka_error_string(error);
}

}  // namespace

// librdkafka has got as far as `offset`: what lies before that and did not come is no record.
void TopicReader::State::doubt(Partition& partition, Doubt why, std::int64_t offset) {
  partition.next = std::max(partition.next, offset);
  if (partition.next >= ends[partition.id.value]) return end(partition);
  doubts[partition.id.value] = why;
  partition.question = 0;  // An answer that is on its way may be older than this.
  partition.resting = false;
  to_ask = true;
}

void TopicReader::State::ask_about_doubts() {
  if (!to_ask || lookup.open()) return;
  to_ask = false;
  std::vector<Position> questions;
  assignment.for_each([&](Partition& partition) {
    if (partition.phase != Phase::reading || partition.resting || partition.question != 0) return;
    if (doubts[partition.id.value] == Doubt::none) return;
    partition.question = ++last_question;
    Position& question = questions.emplace_back();
    question.question = partition.question;
    question.topic = partition.topic;
    question.number = partition.number;
    question.ask_group = false;
  });
  if (!questions.empty()) lookup.ask(std::move(questions));
}

// What stays in doubt is asked about again after the next tick.
void TopicReader::State::answered(const std::vector<Position>& answers) {
  for (const Position& answer : answers) {
    Partition* partition = assignment.find(answer.topic, answer.number);
    if (partition == nullptr || partition->question != answer.question) continue;
    partition->question = 0;
    partition->resting = true;
    const bool doubted = doubts[partition->id.value] != Doubt::none;
    if (partition->phase == Phase::reading && doubted && answer.log) judge(*partition, *answer.log);
  }
  ask_about_doubts();
}

void TopicReader::State::tick() {
  main_ready = true;
  to_ask = true;
  assignment.for_each([this](Partition& partition) {
    partition.resting = false;
    assignment.more(partition);
  });
}

// One that ended early and has more by now is read on all the same, and stays in doubt until
// something comes.
void TopicReader::State::judge(Partition& partition, const LogBounds& log) {
  Doubt& why = doubts[partition.id.value];
  const bool there = Offset{partition.next} >= log.start;
  if (log.end.value < ends[partition.id.value] || (there && why == Doubt::out_of_range)) {
    return give_up(partition, log);
  }
  if (there) return;
  why = Doubt::none;
  pass_over(partition, log.start.value);
}

void TopicReader::State::give_up(Partition& partition, const LogBounds& log) {
  notify({Severity::error, "kafka_fatal",
          name_of(partition) + " was read up to offset " + std::to_string(partition.next) + " of " +
              std::to_string(ends[partition.id.value]) + ", and now goes from offset " +
              std::to_string(log.start.value) + " to before " + std::to_string(log.end.value) +
              ": the topic was deleted and created again, or lost its end; look at what it holds "
              "now and begin again"});
  read_no_further(partition);
}

void TopicReader::State::pass_over(Partition& partition, std::int64_t log_start) {
  const std::int64_t start = std::min(log_start, ends[partition.id.value]);
  gone += static_cast<std::uint64_t>(start - partition.next);
  notify({Severity::error, "kafka_offsets_skipped",
          name_of(partition) + ": offsets " + std::to_string(partition.next) + " to " +
              std::to_string(start - 1) +
              " were deleted from Kafka before they were read; raise the topic's retention"});
  partition.next = start;
  if (start >= ends[partition.id.value]) return end(partition);
  read_from_next(partition);
}

// Of a partition that librdkafka has given up, a seek would be refused.
void TopicReader::State::read_from_next(Partition& partition) {
  const ListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.number.value)
      ->offset = partition.next;
  std::string error = text_of(rd_kafka_incremental_unassign(client, list.get()));
  if (error.empty()) error = text_of(rd_kafka_incremental_assign(client, list.get()));
  // What was in its queue is gone, and no event tells of what came into it meanwhile.
  assignment.more(partition);
  if (error.empty()) return;
  notify({Severity::error, "kafka_fatal",
          name_of(partition) + " cannot be read on: " + error + "; begin again"});
  read_no_further(partition);
}

}  // namespace einlass::kafka
