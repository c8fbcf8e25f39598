#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/kafka/client/login.h"
#include "adapters/kafka/source/source_state.h"
#include "text/partition_words.h"
#include "units/check.h"
#include "units/topic_pattern.h"

namespace einlass::kafka {
namespace {

// How many events are taken from a queue in one poll().
constexpr int kEventsPerPoll = 1000;

// Which broker is the group's coordinator librdkafka asks twice a second, as long as it takes, and
// says nothing of the answers.
bool looks_for_coordinator(std::string_view statistics) {
  const std::size_t at = statistics.find("\"cgrp\"");
  if (at == std::string_view::npos) return false;
  const std::string_view state = statistics.substr(at, statistics.find(',', at) - at);
  return state.find("\"query-coord\"") != std::string_view::npos ||
         state.find("\"wait-coord\"") != std::string_view::npos;
}

// One that has just moved is found again before that.
constexpr int kMostWithoutCoordinator = 2;

// As a question's number: of no partition that is assigned.
constexpr std::uint64_t kOfOthers = ~std::uint64_t{0};
constexpr Duration kAskOfOthersEvery = Duration::seconds(5);

}  // namespace

void Source::State::serve_main_queue() {
  for (int i = 0; i < kEventsPerPoll; ++i) {
    EventHandle event(rd_kafka_queue_poll(main_queue.get(), 0));
    if (event == nullptr) {
      main_ready = false;
      fetching.checked();
      return;
    }
    serve(std::move(event));
  }
}

void Source::State::serve(EventHandle event) {
  switch (rd_kafka_event_type(event.get())) {
    case RD_KAFKA_EVENT_REBALANCE:
      serve_rebalance(std::move(event));
      break;
    case RD_KAFKA_EVENT_OFFSET_COMMIT:
      serve_commit(commits.ended(client, main_queue.get(), event.get()));
      break;
    case RD_KAFKA_EVENT_ERROR:
      serve_error(event.get());
      break;
    case RD_KAFKA_EVENT_STATS:
      serve_statistics(rd_kafka_event_stats(event.get()));
      break;
    default:
      // A message here would be one that went past its partition's own queue.
      CHECK(rd_kafka_event_type(event.get()) != RD_KAFKA_EVENT_FETCH);
      break;
  }
}

// What the lookup has found, and what it is to find out next.
void Source::State::serve_lookup() {
  take_others();
  if (!answers.empty()) {
    tell_lookup_failures();
    tell_rebalance_failure(positions.answered(std::exchange(answers, {}), now));
    main_ready = true;  // To see what came of it.
  }
  if (lookup.open()) return;
  std::vector<Position> questions = positions.questions();
  if (questions.empty()) ask_of_others(questions);
  if (!questions.empty()) lookup.ask(std::move(questions));
}

// librdkafka says once to each member that a topic is not there, or may not be seen, and nothing
// when it is, and may. Who has a partition of it knows by that; who has none asks. Not for one that
// the brokers say is still missing: that takes the lookup's whole patience. Of one that only a
// pattern fits nothing is to be known any more: it may be gone for good, and nobody miss it.
void Source::State::ask_of_others(std::vector<Position>& questions) {
  if (now - asked_of_others < kAskOfOthersEvery) return;
  std::set<std::string> topics = troubles.topics();
  if (topics.empty()) return;
  asked_of_others = now;
  assignment.for_each([&](const Partition& partition) { topics.erase(partition.topic); });
  for (const std::string& topic : topics) {
    if (std::ranges::find(options.topics, topic, &SourceOptions::Topic::name) ==
        options.topics.end()) {
      troubles.topic_works(topic);
      continue;
    }
    if (topic_configs.missing().contains(topic)) continue;
    Position& question = questions.emplace_back();
    question.question = kOfOthers;
    question.topic = topic;
    question.ask_group = false;
  }
}

void Source::State::take_others() {
  std::erase_if(answers, [this](const Position& answer) {
    if (answer.question != kOfOthers) return false;
    if (!answer.error) troubles.topic_works(answer.topic);
    return true;
  });
}

void Source::State::tell_lookup_failures() {
  std::set<std::string_view> failed;
  bool group_answered = false;
  for (const Position& answer : answers) {
    group_answered = group_answered || (answer.ask_group && !answer.error);
    if (!answer.error) continue;
    failed.insert(answer.topic);
    Trouble trouble =
        explain(answer.error, false, rd_kafka_err2str(answer.error), error_context(answer.topic));
    trouble.what = "kafka_offsets_unknown";
    trouble.severity = Severity::warning;
    trouble.lasts = Lasts::topic;
    trouble.detail =
        "where to read " + answer.topic + " from cannot be found out, so its partition " +
        std::to_string(answer.number.value) + " waits (the gate keeps asking): " + trouble.detail;
    tell(trouble);
  }
  if (group_answered) troubles.connection_works();
  for (const Position& answer : answers) {
    if (!failed.contains(answer.topic)) troubles.topic_works(answer.topic);
  }
}

void Source::State::serve_statistics(std::string_view statistics) {
  const bool up = a_broker_is_up(statistics);
  if (up) troubles.brokers_answer();
  const bool looks = looks_for_coordinator(statistics);
  without_coordinator = up && looks ? without_coordinator + 1 : 0;
  if (!looks) troubles.end("kafka_no_coordinator");
  // Where the right to the group is missing nobody is named either, and that is told.
  if (without_coordinator < kMostWithoutCoordinator || troubles.any(Lasts::group)) return;
  tell(no_coordinator(error_context({})));
}

void Source::State::serve_commit(rd_kafka_resp_err_t error) {
  if (!error) {
    troubles.connection_works();
  } else if (error != RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS) {
    // Which partition was at fault librdkafka does not reliably say, so it is no topic's trouble.
    Trouble trouble = explain(error, false, rd_kafka_err2str(error), error_context({}));
    if (trouble.lasts == Lasts::topic) trouble.lasts = Lasts::passing;
    trouble.detail = "a commit of the group " + options.group + " failed: " + trouble.detail;
    tell(trouble);
  }
}

void Source::State::tell_rebalance(rd_kafka_event_t* event) {
  std::vector<TopicPartition> partitions;
  for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event))) {
    partitions.push_back({entry.topic, PartitionNumber{entry.partition}});
  }
  const bool none = partitions.empty();
  const std::string names = partitions_in_words(std::move(partitions));
  if (rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    notify({Severity::info, "kafka_partitions_assigned",
            "the group " + options.group +
                (none ? " has no partition for this gate: others have them all"
                      : " gave this gate " + names)});
  } else if (!none) {
    notify({Severity::info, "kafka_partitions_revoked",
            "the group " + options.group + " takes from this gate " + names});
  }
}

void Source::State::serve_rebalance(EventHandle event) {
  tell_rebalance(event.get());
  group_topics.moved();
  if (rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    troubles.connection_works();
    for (const auto& entry : elements(rd_kafka_event_topic_partition_list(event.get()))) {
      troubles.topic_works(entry.topic);
    }
  }
  tell_rebalance_failure(rebalance.handle(std::move(event), now));
}

void Source::State::serve_error(rd_kafka_event_t* event) {
  const char* reason = rd_kafka_event_error_string(event);
  if (options.login && is_refused_login(rd_kafka_event_error(event))) {
    options.login->was_refused();
  }
  const TopicPartitionHandle partition(rd_kafka_event_topic_partition(event));
  std::string_view topic = partition != nullptr ? partition->topic : "";
  for (const auto& candidate : options.topics) {
    if (partition == nullptr && candidate.name == topic_in(reason)) topic = candidate.name;
  }
  const rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  // A pattern that nothing fits yet is told by awaited_topics(). librdkafka tells it too, but only
  // where the brokers have some other topic.
  const bool not_there =
      code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
  if (not_there && TopicPattern::is_one(topic)) return;
  tell(code, rd_kafka_event_error_is_fatal(event) != 0, reason, topic);
}

// By its property `debug` librdkafka can say more than one turn is to take.
void Source::State::serve_log() {
  for (int i = 0; i < kEventsPerPoll; ++i) {
    const EventHandle event{rd_kafka_queue_poll(log_queue.get(), 0)};
    log_ready = event != nullptr;
    if (!log_ready) return;
    if (const auto trouble = explain_log(event.get())) tell(*trouble);
  }
}

void Source::State::tell(const Trouble& trouble) {
  if (troubles.add(trouble, now)) notify({trouble.severity, trouble.what, trouble.detail});
}

void Source::State::tell(rd_kafka_resp_err_t code, bool fatal, const char* reason,
                         std::string_view topic) {
  tell(explain(code, fatal, reason == nullptr ? "" : reason, error_context(topic)));
}

ErrorContext Source::State::error_context(std::string_view topic) const {
  return {options.brokers, options.group, options.instance, topic};
}

void Source::State::tell_rebalance_failure(const std::string& error) {
  if (error.empty()) return;
  tell({Severity::error,
        "kafka_rebalance_failed",
        Lasts::passing,
        {},
        "a rebalance of the group " + options.group + " failed (" + error + "); tried again"});
}

// librdkafka looks for a partition's leader for as long as it takes, and says nothing of it.
void Source::State::tell_offline() {
  std::vector<TopicPartition> went, came;
  assignment.for_each([&](Partition& partition) {
    const bool offline = LogEnds::offline(partition);
    // Of one that waits for where to begin that is told, and of one that leaves nothing is waited
    // for.
    if (partition.phase != Phase::reading || partition.offline == offline) return;
    partition.offline = offline;
    (offline ? went : came).push_back({partition.topic, partition.number});
  });
  if (!went.empty()) {
    notify({Severity::warning, "kafka_partition_offline",
            nobody_leads(partitions_in_words(std::move(went)))});
  }
  if (!came.empty()) {
    notify({Severity::info, "kafka_partition_online",
            "a broker answers again for " + partitions_in_words(std::move(came))});
  }
}

void Source::State::tell_losses() {
  if (std::exchange(losses_told, rebalance.losses()) == rebalance.losses()) return;
  tell({Severity::warning,
        "kafka_assignment_lost",
        Lasts::passing,
        {},
        "the group " + options.group +
            " has given this gate's partitions to others without waiting for it, because it was "
            "silent for longer than session.timeout.ms or max.poll.interval.ms; nothing more is "
            "committed of them, and what had finished since the last commit is delivered again"});
}

void Source::State::tell_uncommitted(const Partition& partition) {
  notify({Severity::warning, "kafka_last_commit_failed",
          partition.name() +
              ": its last commit has not been acknowledged, and the partition is given back; what "
              "finished after offset " +
              std::to_string(partition.committed.value) +
              " may be delivered again (-1: nothing is committed); see why the commits failed"});
}

}  // namespace einlass::kafka
