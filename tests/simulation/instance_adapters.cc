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

// It waits no longer.
void Instance::record_gone(core::LineId line) {
  permits_.record_gone(line);
  limits_.record_gone(line, lines_[line.value].route);
}

void Instance::perform(const core::Send& command) {
  const Instant now = world_.timeline.now();
  require(!is_paused(records_.line_of(command.record)), "pause_send", "a record of what is paused");
  records_.send(command, permits_, now);
  begin_soon(command.target);
  permits_.use(command.permit, records_.line_of(command.record), now);
  record_gone(records_.line_of(command.record));
  if (const auto asked = questions_.find(command.permit.ask); asked != questions_.end()) {
    for (const BucketKey& bucket : asked->second.buckets) {
      const bool varies = world_.settings.limits[bucket.limit].varies;
      const std::int64_t units = command.permit.stand_in ? 0
                                 : varies                ? command.permit.cost.value
                                                         : 1;
      for (std::int64_t unit = 0; unit < units; ++unit) {
        world_.book.used(bucket, asked->second.era, command.permit.stamp);
      }
    }
    if (command.permit.cost != log_record(command.record).cost) {
      throw Failure("permit_of_cost", std::to_string(command.permit.cost.value));
    }
  }
  request_.push_back(command);
  if (command.more) return;
  const std::vector<core::Send> request = std::exchange(request_, {});
  if (!world_.settings.gate.targets[command.target.value].transactional) return attempt(request);
  require(to_transact_[command.target].empty(), "transact_missing", "before the next request");
  to_transact_[command.target] = request;
}

// A target that takes so much at once says when it has begun all that.
void Instance::begin_soon(core::TargetId target) {
  if (settings_.gate.targets[target.value].at_once == Bytes{}) return;
  if (!begins_.insert(target).second) return;
  after(world_.dice.duration(Duration::micros(1), Duration::millis(5)), [this, target] {
    begins_.erase(target);
    tell(core::TargetReady{target});
  });
}

void Instance::attempt(const std::vector<core::Send>& request) {
  AttemptPlan plan = world_.target.plan(request.front().target, world_.timeline.now());
  const bool bad = std::any_of(request.begin(), request.end(), [&](const core::Send& command) {
    return log_record(command.record).bad;
  });
  if (bad && !world_.faults.stopped()) plan = failed_for_a_record(plan);
  const auto together = static_cast<std::uint32_t>(request.size());
  const bool says_which = together > 1 && world_.faults.happens(Fault::target_says_which);
  for (const core::Send& command : request) {
    attempt(command, says_which ? part_of(plan) : plan, says_which ? 1 : together);
  }
}

AttemptPlan Instance::failed_for_a_record(AttemptPlan plan) {
  plan.outcome = core::Outcome::retry;
  plan.asked = plan.answered = plan.over_one = true;
  plan.too_large = false;
  plan.accepted_after.reset();
  return plan;
}

// One record's own end of a request that the target has answered.
AttemptPlan Instance::part_of(AttemptPlan plan) {
  Dice& dice = world_.faults.dice(Fault::target_says_which);
  plan.counts = plan.asked = true;
  plan.over_one = false;
  plan.too_large = false;
  plan.wait = Duration{};
  plan.outcome = dice.chance(0.6)   ? core::Outcome::accepted
                 : dice.chance(0.5) ? core::Outcome::retry
                                    : core::Outcome::refused;
  plan.accepted_after.reset();
  if (plan.outcome == core::Outcome::accepted) plan.accepted_after = plan.ends_after / 2;
  return plan;
}

void Instance::attempt(const core::Send& command, const AttemptPlan& plan, std::uint32_t together) {
  count_attempt(command, plan);
  LogRecord& record = log_record(command.record);
  if (plan.accepted_after) {
    world_.timeline.after(*plan.accepted_after, [&record] { record.finished = true; });
  }
  const core::DeliveryEnded ended{command.record, command.attempt, plan.outcome,   plan.hold_target,
                                  plan.counts,    together,        plan.too_large, plan.asked,
                                  true,           plan.wait,       plan.answered,  plan.over_one};
  after(plan.ends_after, [this, ended] { tell(ended); });
  if (plan.told_again_after) after(*plan.told_again_after, [this, ended] { tell(ended); });
}

// An attempt goes on at the target whatever becomes of the gate.
void Instance::count_attempt(const core::Send& command, const AttemptPlan& plan) {
  const auto asked = questions_.find(command.permit.ask);
  if (asked == questions_.end() || command.permit.stand_in) return;
  for (const BucketKey& bucket : asked->second.buckets) {
    const std::uint64_t era = asked->second.era;
    world_.book.attempt_begins(bucket, era);
    world_.timeline.after(plan.ends_after,
                          [&world = world_, bucket, era] { world.book.attempt_ends(bucket, era); });
  }
}

void Instance::perform(const core::Forget& command) {
  record_gone(records_.line_of(command.record));
  records_.forget(command.record);
  free_slots_.push_back(command.record.slot);
}

void Instance::perform(const core::DeadLetter& command) {
  record_gone(records_.line_of(command.record));
  records_.dead_letter(command, world_.timeline.now());
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
  records_.check_flows_named(command);
  limits_.ask(command, lines_[command.line.value].route, now);
  if (const Durations old = std::exchange(due_[command.line], nullptr)) {
    std::fill(old->begin(), old->end(), Duration::seconds(-1'000'000));
  }
  const Line& line = lines_[command.line.value];
  Question& question = questions_[command.ask];
  question.line = command.line;
  question.buckets = line.buckets;
  question.ended = false;
  question.costs.assign(static_cast<std::size_t>(command.max.value), command.cost.value);
  for (std::size_t i = 0; i < command.costs.size(); ++i) {
    question.costs[i] = command.costs[i].value;
  }
  const std::uint32_t number = ++question.try_;
  if (store_down_[line.store.value]) return fail(command.ask);
  if (world_.settings.store_in_process) return decide(command, number);
  after(world_.settings.ask_timeout, [this, ask = command.ask, number] {
    const Question& late = questions_[ask];
    if (late.try_ == number && !late.ended) fail(ask);
  });
  const bool lost = world_.faults.happens(Fault::answer_lost);
  if (lost && world_.faults.dice(Fault::answer_lost).chance(0.5)) return;
  after(way_to(line.store.value), [this, command, number] { decide(command, number); });
}

// One connection: what was sent first arrives first.
Duration Instance::way_to(std::size_t store) {
  const Instant now = world_.timeline.now();
  Instant& last = last_arrival_[store];
  last = std::max(last, now + one_way());
  return last - now;
}

bool Instance::hopeless(const Line& line) const {
  const RouteSettings& route = world_.settings.routes[line.route.value];
  return world_.settings.has(Fault::never) && route.options.dead_letter && line.key % 5 == 3;
}

// What was granted before is granted again, if the limiter still knows it.
Decision Instance::decision(const core::Ask& command, Question& question) {
  const Instant now = world_.timeline.now();
  const std::uint64_t era = world_.limiter.era(question.buckets.front().store);
  const bool known = !question.stamps.empty() && question.era == era;
  if (known && command.again) return {question.stamps, std::nullopt, 0};
  question.era = era;
  question.first = world_.new_permits(command.max.value);
  std::int64_t most = command.max.value;
  if (command.flows != nullptr) {
    std::int64_t records = 0;
    for (const AskingFlow& flow : command.flows->flows) records += flow.records;
    most = std::min(most, records);
  }
  const Demand demand{command.min.value, most, command.horizon, question.first, question.costs};
  Decision decision;
  if (!hopeless(lines_[question.line.value])) {
    decision = world_.limiter.acquire(question.buckets, demand, now);
  }
  question.stamps = decision.stamps;
  return decision;
}

// What the limiter may have granted the first time is used by nobody.
Decision Instance::stand_in(const core::Ask& command, Question& question) {
  const Instant now = world_.timeline.now();
  for (std::size_t i = 0; i < question.stamps.size(); ++i) {
    if (world_.limiter.era(question.buckets.front().store) != question.era) break;
    world_.limiter.ended(question.buckets, question.first + i);
  }
  question.stamps.clear();
  Dice& dice = world_.faults.dice(Fault::stand_in);
  Decision decision;
  const core::RouteOptions& route =
      world_.settings.routes[lines_[question.line.value].route.value].options;
  if (route.cost_varies && dice.chance(0.2)) return decision;
  const std::int64_t granted = dice.between(0, command.max.value);
  for (std::int64_t i = 0; i < granted; ++i) decision.stamps.push_back(now);
  if (granted < command.max.value) {
    decision.retry = dice.duration(Duration::micros(1), Duration::millis(100));
  }
  return decision;
}

void Instance::decide(const core::Ask& command, std::uint32_t number) {
  Question& question = questions_[command.ask];
  question.stand_in = command.again && world_.faults.happens(Fault::stand_in);
  const Decision decided =
      question.stand_in ? stand_in(command, question) : decision(command, question);
  question.decided_at = world_.timeline.now();
  if (world_.settings.store_in_process) return answer(command, number, decided);
  if (world_.faults.happens(Fault::answer_lost)) return;
  Duration delay = one_way();
  if (world_.faults.happens(Fault::answer_late)) {
    delay =
        delay +
        world_.faults.dice(Fault::answer_late).duration(Duration::millis(1), Duration::seconds(1));
  }
  after(delay, [this, command, number, decided, at = question.decided_at] {
    questions_[command.ask].decided_at = at;
    answer(command, number, decided);
  });
}

void Instance::answer(const core::Ask& command, std::uint32_t number, const Decision& decision) {
  Question& question = questions_[command.ask];
  if (question.try_ != number || question.ended) return;  // Too late: it is asked again.
  question.ended = true;
  const auto due = std::make_shared<std::vector<Duration>>();
  for (const Instant stamp : decision.stamps) due->push_back(stamp - question.decided_at);
  due_[command.line] = due;
  const std::shared_ptr<ToldFlows> flows = flows_of(command, question, decision);
  const core::PermitsAnswered answered{
      command.line,   command.ask,
      *due,           question.decided_at + kLimiterAhead,
      decision.retry, core::LimitIndex{static_cast<std::uint8_t>(decision.reason)},
      decision.ahead, question.stand_in,
      flows.get()};
  told_.push_back({answered, due, flows});
  wake(Duration{});
  if (!world_.faults.happens(Fault::answer_duplicate)) return;
  const auto copy = std::make_shared<std::vector<Duration>>(*due);
  core::PermitsAnswered again = answered;
  again.due = *copy;
  after(world_.dice.duration(Duration::micros(1), Duration::millis(300)),
        [this, again, copy, flows] {
          told_.push_back({again, copy, flows});
          wake(Duration{});
        });
}

void Instance::fail(core::AskId ask) {
  questions_[ask].ended = true;
  tell(core::PermitsFailed{questions_[ask].line, ask});
}

void Instance::release_at_limiter(const Question& question, std::size_t index) {
  if (world_.settings.store_in_process) {
    return world_.limiter.release(question.buckets, question.first + index);
  }
  if (world_.faults.happens(Fault::release_lost)) return;
  world_.timeline.after(way_to(question.buckets.front().store),
                        [&world = world_, buckets = question.buckets,
                         permit = question.first + index, era = question.era] {
                          if (world.limiter.era(buckets.front().store) == era)
                            world.limiter.release(buckets, permit);
                        });
}

void Instance::perform(const core::Ended& command) {
  // The line may be another's by then, if its record was abandoned.
  const Question& question = questions_[command.permit.ask];
  permits_.ended(command, question.line);
  if (command.permit.stand_in) return;
  if (world_.settings.store_in_process) {
    return world_.limiter.ended(question.buckets, question.first + command.permit.index);
  }
  if (world_.faults.happens(Fault::release_lost)) return;
  world_.timeline.after(way_to(question.buckets.front().store),
                        [&world = world_, buckets = question.buckets,
                         permit = question.first + command.permit.index, era = question.era] {
                          if (world.limiter.era(buckets.front().store) == era)
                            world.limiter.ended(buckets, permit);
                        });
}

void Instance::perform(const core::Release& command) {
  permits_.release(command);
  if (command.permit.stand_in) return;
  release_at_limiter(questions_[command.permit.ask], command.permit.index);
}

void Instance::perform(const core::ForgetLine& command) {
  permits_.forget_line(command.line, records_.uses(command.line, world_.timeline.now()));
  records_.line_forgotten(command.line);
  limits_.line_forgotten(command.line);
  const Line& line = lines_[command.line.value];
  line_ids_.erase({line.route.value, line.key});
  paused_lines_.erase(command.line.value);
  free_lines_.push_back(command.line);
}

void Instance::perform(const core::PartitionHold& command) {
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
  const std::vector<KafkaWorld::Entry> entries = entries_of(command.entries);
  // What was sent arrives, whatever becomes of the sender.
  world_.timeline.after(way_of_commit(), [this, entries] { arrive_at_broker(entries); });
}

Duration Instance::way_of_commit() {
  const Duration delay = world_.dice.duration(Duration::micros(10), world_.settings.commit_delay);
  if (!world_.faults.happens(Fault::commit_slow)) return delay;
  Dice& dice = world_.faults.dice(Fault::commit_slow);
  return delay + dice.duration(Duration::millis(1), Duration::seconds(1));
}

std::vector<KafkaWorld::Entry> Instance::entries_of(
    std::span<const core::CommitEntry> entries) const {
  std::vector<KafkaWorld::Entry> found;
  for (const core::CommitEntry& entry : entries) {
    found.push_back({assignments_[entry.partition.value], entry.next, entry.finished});
  }
  return found;
}

void Instance::arrive_at_broker(const std::vector<KafkaWorld::Entry>& entries) {
  const bool fails = world_.faults.happens(Fault::commit_failed);
  core::CommitResult result = core::CommitResult::failed;
  std::vector<core::PartitionId> settled;
  if (!fails || world_.faults.dice(Fault::commit_failed).chance(0.5)) {
    const bool stored = world_.kafka.commit(entries);
    if (!fails) result = stored ? core::CommitResult::committed : core::CommitResult::fenced;
    if (fails && stored && world_.faults.happens(Fault::commit_settled)) settled = some_of(entries);
  }
  const Duration delay = world_.dice.duration(Duration::micros(10), world_.settings.commit_delay);
  after(delay, [this, result, settled] {
    settled_ = settled;
    tell(core::CommitEnded{result, settled_});
  });
}

std::vector<core::PartitionId> Instance::some_of(const std::vector<KafkaWorld::Entry>& entries) {
  std::vector<core::PartitionId> some;
  for (const KafkaWorld::Entry& entry : entries) {
    if (world_.faults.dice(Fault::commit_settled).chance(0.7)) some.push_back(entry.assignment->id);
  }
  return some;
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
