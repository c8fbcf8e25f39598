#include "adapters/kafka/partitions/log_ends.h"

#include <utility>

namespace einlass::kafka {
namespace {

constexpr int kEveryTicks = 3;

// While it moves from one leader to the next a partition may miss one or two of these questions.
constexpr int kOffline = 3;

// What is said where a partition has no leader, or one that is away. (Where none of those that were
// asked about has one librdkafka says that it knows no such partition.)
bool has_no_leader(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION || error == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
}

}  // namespace

LogEnds::LogEnds(boost::asio::io_context& io, rd_kafka_t* client, Assignment& assignment)
    : assignment_(assignment),
      lookup_(io, client, [this](const std::vector<Position>& answers) { answered(answers); }) {}

void LogEnds::tick(Instant now, bool reachable) {
  if (!reachable) forget_unanswered();
  if (lookup_.open() || --ticks_ > 0) return;
  std::vector<Position> question;
  assignment_.for_each([&](const Partition& partition) {
    Position& position = question.emplace_back();
    position.topic = partition.topic;
    position.number = partition.number;
    position.ask_group = false;
  });
  if (question.empty()) return;
  ticks_ = kEveryTicks;
  asked_ = now;
  lookup_.ask(std::move(question));
}

void LogEnds::answered(const std::vector<Position>& answers) {
  for (const Position& answer : answers) {
    Partition* partition = assignment_.find(answer.topic, answer.number);
    if (partition == nullptr) continue;
    if (answer.log) {
      partition->log = answer.log;
      partition->log_asked = asked_;
      partition->unanswered = 0;
    } else if (!answer.left && has_no_leader(answer.error)) {
      const bool moved = std::exchange(partition->next_then, partition->next) != partition->next;
      partition->unanswered = moved ? 1 : partition->unanswered + 1;
    }
  }
}

// Of those that were said to be offline before, that still stands.
void LogEnds::forget_unanswered() {
  assignment_.for_each([](Partition& partition) {
    if (!partition.offline) partition.unanswered = 0;
  });
}

bool LogEnds::offline(const Partition& partition) { return partition.unanswered >= kOffline; }

}  // namespace einlass::kafka
