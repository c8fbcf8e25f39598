#include "adapters/kafka/source/group_topics.h"

#include <utility>

#include "adapters/kafka/questions/group_question.h"

namespace einlass::kafka {

GroupTopics::GroupTopics(rd_kafka_t* client, std::string group)
    : client_(client), group_(std::move(group)), answers_(rd_kafka_queue_new(client)) {}

std::set<std::string> GroupTopics::tick(const std::set<std::string>& wanted) {
  if (rd_kafka_event_t* event = rd_kafka_queue_poll(answers_.get(), 0)) take(event, wanted);
  if (!open_ && left_ > 0 && !wanted.empty() && --ticks_ <= 0) ask();
  return std::exchange(to_tell_, {});
}

void GroupTopics::moved() {
  ticks_ = kEveryTicks;
  left_ = told_ ? 0 : kQuestions;
  answered_ = false;
  had_by_nobody_.clear();
  while (const EventHandle old{rd_kafka_queue_poll(answers_.get(), 0)}) {
    open_ = false;
  }
}

void GroupTopics::ask() {
  ticks_ = kEveryTicks;
  --left_;
  open_ = true;
  ask_for_members(client_, group_, answers_.get());
}

// A group that is not described, or divides its partitions just now, says nothing.
void GroupTopics::take(rd_kafka_event_t* event, const std::set<std::string>& wanted) {
  const EventHandle owned(event);
  open_ = false;
  const auto* group = described_group(event);
  if (group == nullptr) return;
  const auto state = rd_kafka_ConsumerGroupDescription_state(group);
  if (state != RD_KAFKA_CONSUMER_GROUP_STATE_STABLE) return moved();
  std::set<std::string> nobodys = wanted;
  for (std::size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(group); ++i) {
    const auto* member = rd_kafka_ConsumerGroupDescription_member(group, i);
    const auto* has = rd_kafka_MemberDescription_assignment(member);
    for (const auto& one : elements(rd_kafka_MemberAssignment_partitions(has))) {
      nobodys.erase(one.topic);
    }
  }
  const auto before = std::exchange(had_by_nobody_, nobodys);
  if (!std::exchange(answered_, true)) return;
  for (const std::string& topic : nobodys) {
    if (before.contains(topic)) to_tell_.insert(topic);
  }
  told_ = !to_tell_.empty();
}

}  // namespace einlass::kafka
