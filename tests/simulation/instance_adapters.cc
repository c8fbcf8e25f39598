// What the simulated adapters of an Instance do with each command.
#include <algorithm>
#include <utility>

#include "instance.h"
#include "world.h"

namespace einlass::simulation {

LogRecord& Instance::log_record(core::RecordId record) {
  const Slot& slot = slots_[record.slot];
  return world_.kafka.log(slot.partition)[slot.index];
}

void Instance::perform(const core::Send& command) {
  const Instant now = world_.timeline.now();
  records_.send(command, now);
  permits_.use(command.permit, records_.line_of(command.record), now);
  if (const auto asked = questions_.find(command.permit.ask); asked != questions_.end()) {
    for (const BucketKey& bucket : asked->second.buckets) {
      world_.book.used(bucket, asked->second.era, command.permit.stamp, now + kLimiterAhead);
    }
  }
  const AttemptPlan plan = world_.target.plan(command.target, now);
  LogRecord& record = log_record(command.record);
  if (plan.accepted_after) {
    world_.timeline.after(*plan.accepted_after, [&record] { record.finished = true; });
  }
  const core::DeliveryEnded ended{command.record, command.attempt, plan.outcome, plan.hold_target};
  after(plan.ends_after, [this, ended] { tell(ended); });
  if (plan.told_again_after) after(*plan.told_again_after, [this, ended] { tell(ended); });
}

void Instance::perform(const core::Forget& command) {
  records_.forget(command.record);
  free_slots_.push_back(command.record.slot);
}

void Instance::perform(const core::DeadLetter& command) {
  records_.dead_letter(command);
  const bool acknowledged = !world_.faults.happens(Fault::dead_letter_failed);
  LogRecord& record = log_record(command.record);
  const core::DeadLetterEnded ended{command.record, acknowledged};
  if (acknowledged) {
    world_.timeline.after(Duration::micros(10), [&record] { record.finished = true; });
  }
  after(world_.dice.duration(Duration::micros(20), Duration::millis(30)),
        [this, ended] { tell(ended); });
}

Duration Instance::one_way() {
  return world_.dice.duration(Duration::micros(10), world_.settings.answer_delay);
}

void Instance::perform(const core::Ask& command) {
  const Instant now = world_.timeline.now();
  permits_.ask(command, records_.wanting(command.line), now);
  if (const Durations old = std::exchange(due_[command.line], nullptr)) {
    std::fill(old->begin(), old->end(), Duration::seconds(-1'000'000));
  }
  const Line& line = lines_[command.line.value];
  questions_[command.ask] = Question{command.line, line.buckets, 0, 0, 0, {}, false};
  if (store_down_[line.store.value]) return fail(command.ask);
  if (world_.settings.store_in_process) return decide(command);
  after(world_.settings.ask_timeout, [this, ask = command.ask] {
    if (!questions_[ask].ended) fail(ask);
  });
  const bool lost = world_.faults.happens(Fault::answer_lost);
  if (lost && world_.faults.dice(Fault::answer_lost).chance(0.5)) return;
  after(one_way(), [this, command] { decide(command); });
}

bool Instance::hopeless(const Line& line) const {
  const RouteSettings& route = world_.settings.routes[line.route.value];
  return world_.settings.has(Fault::never) && route.options.dead_letter && line.key % 5 == 3;
}

void Instance::decide(const core::Ask& command) {
  Question& question = questions_[command.ask];
  const Demand demand{command.min.value, command.max.value, command.horizon,
                      world_.new_permits(command.max.value)};
  question.decided_at = world_.timeline.now();
  question.first = demand.first;
  Decision decision;
  if (!hopeless(lines_[question.line.value])) {
    decision = world_.limiter.acquire(question.buckets, demand, question.decided_at);
  }
  question.granted = decision.stamps.size();
  question.era = world_.limiter.era(question.buckets.front().store);
  if (world_.settings.store_in_process) return answer(command, decision);
  if (world_.faults.happens(Fault::answer_lost)) return;
  Duration delay = one_way();
  if (world_.faults.happens(Fault::answer_late)) {
    delay =
        delay +
        world_.faults.dice(Fault::answer_late).duration(Duration::millis(1), Duration::seconds(1));
  }
  after(delay, [this, command, decision] { answer(command, decision); });
}

void Instance::answer(const core::Ask& command, const Decision& decision) {
  Question& question = questions_[command.ask];
  if (question.ended) return give_back_late(question);
  question.ended = true;
  const auto due = std::make_shared<std::vector<Duration>>();
  for (const Instant stamp : decision.stamps) due->push_back(stamp - question.decided_at);
  due_[command.line] = due;
  const core::PermitsAnswered answered{
      command.line,   command.ask,
      *due,           question.decided_at + kLimiterAhead,
      decision.retry, core::LimitIndex{static_cast<std::uint8_t>(decision.reason)}};
  told_.push_back({answered, due});
  wake(Duration{});
  if (!world_.faults.happens(Fault::answer_duplicate)) return;
  const auto copy = std::make_shared<std::vector<Duration>>(*due);
  core::PermitsAnswered again = answered;
  again.due = *copy;
  after(world_.dice.duration(Duration::micros(1), Duration::millis(300)), [this, again, copy] {
    told_.push_back({again, copy});
    wake(Duration{});
  });
}

void Instance::fail(core::AskId ask) {
  questions_[ask].ended = true;
  tell(core::PermitsFailed{questions_[ask].line, ask});
}

void Instance::give_back_late(const Question& question) {
  for (std::size_t i = 0; i < question.granted; ++i) release_at_limiter(question, i);
}

void Instance::release_at_limiter(const Question& question, std::size_t index) {
  if (world_.settings.store_in_process) {
    return world_.limiter.release(question.buckets, question.first + index);
  }
  if (world_.faults.happens(Fault::release_lost)) return;
  world_.timeline.after(one_way(), [&world = world_, buckets = question.buckets,
                                    permit = question.first + index, era = question.era] {
    if (world.limiter.era(buckets.front().store) == era) world.limiter.release(buckets, permit);
  });
}

void Instance::perform(const core::Release& command) {
  permits_.release(command);
  release_at_limiter(questions_[command.permit.ask], command.permit.index);
}

void Instance::perform(const core::ForgetLine& command) {
  permits_.forget_line(command.line, records_.uses(command.line, world_.timeline.now()));
  records_.line_forgotten(command.line);
  const Line& line = lines_[command.line.value];
  line_ids_.erase({line.route.value, line.key});
  free_lines_.push_back(command.line);
}

void Instance::perform(const core::Hold& command) {
  records_.hold(command.partition);
  assignments_[command.partition.value]->held = true;
}

void Instance::perform(const core::Read& command) {
  records_.read(command.partition);
  assignments_[command.partition.value]->held = false;
  wake(Duration{});
}

void Instance::perform(const core::Commit& command) {
  records_.commit(command);
  std::vector<KafkaWorld::Entry> entries;
  for (const core::CommitEntry& entry : command.entries) {
    entries.push_back({assignments_[entry.partition.value], entry.next});
  }
  Duration delay = world_.dice.duration(Duration::micros(10), world_.settings.commit_delay);
  if (world_.faults.happens(Fault::commit_slow)) {
    delay =
        delay +
        world_.faults.dice(Fault::commit_slow).duration(Duration::millis(1), Duration::seconds(1));
  }
  // What was sent arrives, whatever becomes of the sender.
  world_.timeline.after(delay, [this, entries] { arrive_at_broker(entries); });
}

void Instance::arrive_at_broker(const std::vector<KafkaWorld::Entry>& entries) {
  const bool fails = world_.faults.happens(Fault::commit_failed);
  core::CommitResult result = core::CommitResult::failed;
  if (!fails || world_.faults.dice(Fault::commit_failed).chance(0.5)) {
    const bool stored = world_.kafka.commit(entries);
    if (!fails) result = stored ? core::CommitResult::committed : core::CommitResult::fenced;
  }
  const Duration delay = world_.dice.duration(Duration::micros(10), world_.settings.commit_delay);
  after(delay, [this, result] { tell(core::CommitEnded{result}); });
}

void Instance::perform(const core::PartitionDone& command) {
  records_.partition_done(command.partition, world_.timeline.now());
  const std::shared_ptr<Assignment> done =
      std::exchange(assignments_[command.partition.value], nullptr);
  free_partitions_.push_back(command.partition);
  if (world_.kafka.take_away(*done)) world_.partition_free(done->partition);
}

void Instance::perform(const core::Stopped&) {
  records_.stopped();
  // After the turn: the process leaves.
  after(Duration{}, [this] { crash(); });
}

}  // namespace einlass::simulation
