// What a simulated adapter does that delivers and commits in one transaction.
#include <algorithm>
#include <utility>

#include "instance.h"
#include "world.h"

namespace einlass::simulation {

void Instance::perform(const core::Transact& command) {
  const Instant now = world_.timeline.now();
  records_.transact(command, now);
  const auto transaction = std::make_shared<Transaction>();
  transaction->sends = std::exchange(to_transact_[command.target], {});
  transaction->entries = entries_of(command.entries);
  transaction->plan = plan_of_transaction(command.target);
  draw_end(*transaction);
  const AttemptPlan& plan = transaction->plan;
  for (const core::Send& send : transaction->sends) {
    count_attempt(send, plan);
    transaction->records.push_back(&log_record(send.record));
  }
  // What was sent arrives, whatever becomes of the sender.
  if (plan.accepted_after) {
    world_.timeline.after(*plan.accepted_after, [&world = world_, transaction] {
      transaction->committed = world.kafka.transact(transaction->records, transaction->entries);
    });
  }
  after(plan.ends_after, [this, transaction] { end(*transaction); });
}

// Written as by any target, and then committed.
AttemptPlan Instance::plan_of_transaction(core::TargetId target) {
  AttemptPlan plan = world_.target.plan(target, world_.timeline.now());
  const Duration way = way_of_commit();
  plan.ends_after = plan.ends_after + way;
  if (plan.accepted_after) plan.accepted_after = *plan.accepted_after + way;
  if (plan.told_again_after) plan.told_again_after = *plan.told_again_after + way;
  return plan;
}

// The end may be a guess: whoever hears nothing cannot know whether it has committed.
void Instance::draw_end(Transaction& transaction) {
  AttemptPlan& plan = transaction.plan;
  Dice& dice = world_.faults.dice(Fault::transaction_unknown);
  // One that hangs.
  transaction.unknown = plan.accepted_after && plan.outcome == core::Outcome::retry;
  if (plan.outcome == core::Outcome::accepted &&
      world_.faults.happens(Fault::transaction_unknown)) {
    transaction.unknown = true;
    plan.outcome = core::Outcome::retry;
    plan.accepted_after = plan.ends_after * dice.between(1, 200) / 100;
    if (dice.chance(0.3)) plan.accepted_after.reset();
  }
  // The leader's end is not always the first.
  const auto first = static_cast<std::ptrdiff_t>(transaction.sends.size()) - 1;
  if (dice.chance(0.3)) std::reverse(transaction.sends.begin(), transaction.sends.end());
  if (dice.chance(0.3)) {
    std::rotate(transaction.sends.begin(), transaction.sends.begin() + dice.between(0, first),
                transaction.sends.end());
  }
}

void Instance::end(const Transaction& transaction) {
  const AttemptPlan& plan = transaction.plan;
  core::Outcome outcome = plan.outcome;
  bool counts = plan.counts;
  // Somebody else has one of the partitions: no fault of the records.
  if (outcome == core::Outcome::accepted && !transaction.committed) {
    outcome = core::Outcome::retry;
    counts = false;
  }
  if (transaction.unknown) lose(transaction.entries);
  const auto together = static_cast<std::uint32_t>(transaction.sends.size());
  for (const core::Send& send : transaction.sends) {
    const core::DeliveryEnded ended{send.record,
                                    send.attempt,
                                    outcome,
                                    plan.hold_target,
                                    counts,
                                    together,
                                    false,
                                    true,
                                    true,
                                    Duration{},
                                    plan.answered && outcome == core::Outcome::retry};
    tell(ended);
    if (!plan.told_again_after) continue;
    after(*plan.told_again_after - plan.ends_after, [this, ended] { tell(ended); });
  }
}

// They are assigned anew, from what is committed.
void Instance::lose(const std::vector<KafkaWorld::Entry>& entries) {
  for (const KafkaWorld::Entry& entry : entries) {
    Assignment& assignment = *entry.assignment;
    if (assignments_[assignment.id.value] != entry.assignment || assignment.lost) continue;
    assignment.leaving = assignment.lost = true;
    tell(core::PartitionLost{assignment.id});
  }
}

}  // namespace einlass::simulation
