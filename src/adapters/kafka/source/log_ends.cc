#include "adapters/kafka/source/log_ends.h"

#include <utility>

namespace einlass::kafka {
namespace {

constexpr int kEveryTicks = 3;

}  // namespace

LogEnds::LogEnds(boost::asio::io_context& io, rd_kafka_t* client, Assignment& assignment)
    : assignment_(assignment),
      lookup_(io, client, [this](const std::vector<Position>& answers) { answered(answers); }) {}

void LogEnds::tick() {
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
  lookup_.ask(std::move(question));
}

void LogEnds::answered(const std::vector<Position>& answers) {
  for (const Position& answer : answers) {
    Partition* partition = assignment_.find(answer.topic, answer.number);
    if (partition != nullptr && answer.log) partition->log = answer.log;
  }
}

}  // namespace einlass::kafka
