#include "adapters/kafka/source/positions.h"

#include <utility>

#include "adapters/kafka/client/group_offsets.h"
#include "core/contract/finished_map.h"

namespace einlass::kafka {
namespace {

// A partition that is out of range again and again costs the others their prefetch no more often.
constexpr Duration kBetweenMoves = Duration::seconds(1);

std::string range(std::int64_t from, std::int64_t end) {
  return "offsets " + std::to_string(from) + " to " + std::to_string(end - 1);
}

}  // namespace

Positions::Positions(OffsetReset policy, Assignment& assignment, Fetching& fetching,
                     core::Events& events, Notify notify)
    : policy_(policy),
      assignment_(assignment),
      fetching_(fetching),
      events_(events),
      notify_(std::move(notify)) {}

void Positions::seek(Partition& partition) {
  partition.finding = Finding::sought;
  to_ask_ = true;
}

void Positions::out_of_range(Partition& partition, Instant now) {
  partition.resting = partition.moved != Instant{} && now - partition.moved < kBetweenMoves;
  seek(partition);
}

std::vector<Position> Positions::questions() {
  std::vector<Position> questions;
  if (!std::exchange(to_ask_, false)) return questions;
  assignment_.for_each([&](Partition& partition) {
    if (!partition.is_ours() || partition.finding != Finding::sought || partition.resting) return;
    if (partition.question != 0) return;
    partition.question = ++last_question_;
    Position& question = questions.emplace_back();
    question.question = partition.question;
    question.topic = partition.topic;
    question.number = partition.number;
    question.ask_group = partition.phase == Phase::waiting && !partition.anew;
  });
  return questions;
}

std::string Positions::answered(const std::vector<Position>& answers, Instant now) {
  for (const Position& answer : answers) {
    Partition* partition = assignment_.find(answer.topic, answer.number);
    if (partition == nullptr || partition->question != answer.question) continue;
    partition->question = 0;
    if (!partition->is_ours()) continue;
    // Its start and its end are two questions, and a log that was replaced between them is neither.
    const bool of_two_logs = answer.log && answer.log->end < answer.log->start;
    if (answer.error || of_two_logs) {
      partition->resting = true;
    } else {
      take(*partition, answer, now);
    }
  }
  return read_on();
}

std::string Positions::tick() {
  assignment_.for_each([this](Partition& partition) {
    partition.resting = false;
    if (partition.finding == Finding::sought) to_ask_ = true;
  });
  return read_on();
}

void Positions::set_policy(OffsetReset policy) {
  policy_ = policy;
  assignment_.for_each([this](Partition& partition) {
    if (partition.finding == Finding::stuck) seek(partition);
  });
}

void Positions::take(Partition& partition, const Position& answer, Instant now) {
  if (partition.phase == Phase::waiting && answer.committed)
    return take_committed(partition, answer);
  if (partition.phase == Phase::waiting) return begin(partition, *answer.log);
  if (Offset{partition.next} < answer.log->start) return go_on(partition, *answer.log, now);
  lose(partition, *answer.log);
}

void Positions::take_committed(Partition& partition, const Position& answer) {
  partition.finished.clear();
  if (answer.metadata == kBeganAnew) {
    partition.anew = partition.told_anew = true;
    return seek(partition);
  }
  partition.committed = *answer.committed;
  partition.next = answer.committed->value;
  partition.finding = Finding::found;
  auto finished = core::read_finished(*answer.committed, answer.metadata);
  if (finished) {
    partition.finished = std::move(*finished);
    return;
  }
  notify_(
      {Severity::warning, "kafka_foreign_metadata",
       partition.name() +
           ": the committed offset has metadata that no gate wrote for it, or that cannot be read; "
           "what had finished above offset " +
           std::to_string(partition.next) + " is delivered again"});
}

// Nothing is committed, or what is committed is of another log.
void Positions::begin(Partition& partition, const LogBounds& log) {
  partition.finished.clear();
  const Beginning beginning = kafka::begin(policy_, log, partition.anew);
  partition.log = log;
  if (!beginning.next) {
    return get_stuck(partition,
                     partition.anew ? "its log has started over" : "it has no committed offset");
  }
  partition.begun = true;
  move(partition, beginning, range(0, log.start.value));
}

void Positions::go_on(Partition& partition, const LogBounds& log, Instant now) {
  const Offset next{partition.next};
  const Beginning beginning = kafka::go_on(policy_, log, next, partition.finished);
  const auto all = static_cast<std::uint64_t>(log.start.value - partition.next);
  const std::string gone =
      (beginning.gone < all ? "some of " : "") + range(partition.next, log.start.value);
  if (!beginning.next) return get_stuck(partition, gone + " were deleted before they were read");
  partition.moved = now;
  move(partition, beginning, gone);
}

// The log ended before an offset that had been read: the topic was deleted and made anew, or a
// broker lost the end of its log. It may have grown past that offset by now. The gate's records of
// this partition no longer mean what is in Kafka.
void Positions::lose(Partition& partition, const LogBounds& log) {
  notify_({Severity::error, "kafka_log_began_anew",
           partition.name() + " was read up to offset " + std::to_string(partition.next) +
               ", but Kafka's log ended before: the topic was deleted and created again, or a "
               "broker lost the end of it; its log now goes from offset " +
               std::to_string(log.start.value) + " to before " + std::to_string(log.end.value) +
               ", and is read as kafka.auto_offset_reset says"});
  partition.phase = Phase::lost;
  events_.push_back(core::PartitionLost{partition.id});
}

void Positions::start_over(Partition& partition) {
  partition.phase = Phase::lost;
  partition.same_log = true;
  events_.push_back(core::PartitionLost{partition.id});
}

// Patterns may bring ever new topics.
void Positions::count(const std::string& topic, const SkippedOffsets& skipped) {
  if (skipped.retention + skipped.recreated + skipped.reset == 0) return;
  const bool known = skipped_.contains(topic) || skipped_.size() < kMostTopicsCounted;
  SkippedOffsets& sum = skipped_[known ? topic : std::string(kOtherTopics)];
  sum.retention += skipped.retention;
  sum.recreated += skipped.recreated;
  sum.reset += skipped.reset;
}

void Positions::move(Partition& partition, const Beginning& beginning, const std::string& gone) {
  const SkippedOffsets& skipped = beginning.skipped;
  count(partition.topic, skipped);
  const bool deleted = skipped.retention + skipped.recreated > 0;
  std::string text;
  if (deleted) {
    text += gone +
            " were deleted from Kafka before they were read; raise the topic's retention or "
            "the limits";
  }
  if (skipped.reset > 0) {
    const std::int64_t end = beginning.next->value;
    if (!text.empty()) text += "; ";
    text += range(end - static_cast<std::int64_t>(skipped.reset), end) +
            " are skipped, because kafka.auto_offset_reset is latest";
  }
  if (!text.empty()) {
    notify_({deleted ? Severity::error : Severity::warning, "kafka_offsets_skipped",
             partition.name() + ": " + text + "; it is read from offset " +
                 std::to_string(beginning.next->value)});
  }
  partition.next = beginning.next->value;
  partition.finding = Finding::found;
  partition.why_stuck.clear();
}

void Positions::get_stuck(Partition& partition, const std::string& why) {
  partition.finding = Finding::stuck;
  if (!partition.why_stuck.empty()) return;  // It has been told.
  partition.why_stuck = partition.name() + " is not read: " + why +
                        ", and kafka.auto_offset_reset is error; set it to earliest or latest and "
                        "reload the configuration";
  notify_({Severity::error, "kafka_partition_stuck", partition.why_stuck});
}

std::string Positions::read_on() {
  std::vector<Partition*> moved;
  bool gives_back = false;
  assignment_.for_each([&](Partition& partition) {
    if (partition.is_ours() && partition.finding == Finding::found) moved.push_back(&partition);
    gives_back |= partition.leaving;
  });
  // While the gate is not through with what it has to give back, librdkafka would take this for the
  // answer where partitions are handed over one by one, and the group go on without waiting.
  if (moved.empty() || gives_back || fetching_.may_be_lost()) return {};
  std::string error = fetching_.read_on(moved);
  if (!error.empty()) return error;
  for (Partition* partition : moved) {
    partition->finding = Finding::read;
    const Offset next{partition->next};
    if (partition->phase == Phase::reading) {
      events_.push_back(core::PartitionMoved{partition->id, next});
      continue;
    }
    partition->phase = Phase::reading;
    assignment_.more(*partition);
    events_.push_back(core::PartitionAssigned{partition->id, partition->route, next,
                                              partition->finished, partition->begun});
  }
  return {};
}

}  // namespace einlass::kafka
