#include "instance.h"

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "world.h"

namespace einlass::simulation {
namespace {

constexpr int kMostTurnsAtOnce = 200;
constexpr int kMostToldInATurn = 20'000;
constexpr std::size_t kMostCommandsAtOnce = 5'000;

// What nothing could pay for is tried again that much later.
constexpr Duration kAskAgainForNever = Duration::seconds(30);

// What a gate may still do after Stopped, when something ends that was under way.
bool tidies_up(const core::Command& command) {
  return std::holds_alternative<core::Forget>(command) ||
         std::holds_alternative<core::Release>(command) ||
         std::holds_alternative<core::Ended>(command) ||
         std::holds_alternative<core::ForgetLine>(command);
}

// What the gate wants to be woken for: "line 7".
std::string next_alarm(const core::Gate& gate) {
  static constexpr std::array kNames = {"record", "expiry",       "line",      "limit",
                                        "target", "target_queue", "partition", "commit"};
  const core::Alarm alarm = gate.next_alarm().value();
  return kNames.at(static_cast<std::size_t>(alarm.kind)) + (" " + std::to_string(alarm.index));
}

}  // namespace

Instance::Instance(World& world, std::size_t number)
    : world_(world),
      number_(number),
      settings_(world.settings),
      gate_(std::make_unique<core::Gate>(settings_.gate)),
      records_(settings_),
      permits_(settings_),
      limits_(settings_),
      store_down_(world.settings.gate.stores) {}

void Instance::after(Duration delay, std::function<void()> what) {
  world_.timeline.after(delay, [this, what = std::move(what)] {
    if (alive()) what();
  });
}

void Instance::wake(Duration delay) { wake_at(world_.timeline.now() + delay); }

void Instance::wake_at(Instant at) {
  at = std::max({at, busy_until_, world_.timeline.now()});
  if (!alive() || turn_at_ <= at) return;
  if (world_.faults.happens(Fault::oversleep)) {
    at = at +
         world_.faults.dice(Fault::oversleep).duration(Duration::micros(1), Duration::millis(2));
  }
  if (world_.faults.happens(Fault::stall)) at = busy_until_ = at + Duration::millis(150);
  if (turn_at_ <= at) return;
  turn_at_ = at;
  world_.timeline.at(at, [this, at] {
    if (alive() && turn_at_ == at) turn();
  });
}

// One turn of the loop: everything that was told, some records, and the wake-ups that are due.
void Instance::turn() {
  const Instant now = world_.timeline.now();
  turn_at_ = kNever;
  turns_at_once_ = last_turn_ == now ? turns_at_once_ + 1 : 0;
  last_turn_ = now;
  if (turns_at_once_ > kMostTurnsAtOnce) throw Failure("spins", "turns without time moving");
  take_told();
  take_records();
  pass_time();
}

void Instance::tell(core::Event event) {
  told_.push_back({std::move(event), nullptr});
  wake(Duration{});
}

void Instance::take_told() {
  for (int taken = 0; !told_.empty(); ++taken) {
    if (taken > kMostToldInATurn) throw Failure("spins", "events without time moving");
    const Told told = std::move(told_.front());
    told_.pop_front();
    handle(told.event);
  }
}

void Instance::pass_time() {
  const Instant now = world_.timeline.now();
  for (int again = 0; gate_->next_wakeup() && *gate_->next_wakeup() <= now; ++again) {
    if (again == 2) {
      throw Failure("wakeup_in_the_past", "still due after TimePassed: " + next_alarm(*gate_));
    }
    handle(core::TimePassed{});
  }
  take_told();
  if (!alive()) return;
  if (gate_->next_wakeup() && *gate_->next_wakeup() <= now) return wake(Duration{});
  records_.settled(now);
  permits_.check_none_kept(now);
  if (++checked_turns_ % 4 == 0) {
    records_.check_waiting(*gate_, now);
    check_limits_used();
  }
  if (gate_->next_wakeup()) wake_at(*gate_->next_wakeup());
}

void Instance::check_limits_used() {
  const Instant now = world_.timeline.now();
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const core::LineId id{i};
    if (!permits_.knows(id) || lines_[i].buckets.empty()) continue;
    const bool idle = could_use_a_permit(id, lines_[i], now);
    limits_.check_used(id, lines_[i].route, idle, now, [this] { return longest_lines(); });
  }
}

// Asks the limits before the records: whether a record could go is found by a look at all of them,
// and behind a slow limit each of its lines has some that could.
bool Instance::could_use_a_permit(core::LineId id, const Line& line, Instant now) {
  if (store_down_[line.store.value] || hopeless(line) || is_paused(id)) return false;
  if (!permits_.has_none(id) || limits_.others_ask(line.route)) return false;
  const core::TargetId target = settings_.gate.routes[line.route.value].target;
  if (!records_.has_room_beyond(target, permits_.reserved(target), now)) return false;
  const std::int64_t most_cost = settings_.routes[line.route.value].most_cost;
  return world_.limiter.grants_now(line.buckets, most_cost, now) &&
         records_.fresh_could_go(id, now);
}

void Instance::handle(const core::Event& event) {
  const Instant now = world_.timeline.now();
  world_.count_step();
  world_.trace.event(number_, now, event);
  before(event);
  commands_.clear();
  gate_->handle(event, now, commands_);
  carry_out();
}

void Instance::carry_out() {
  const Instant now = world_.timeline.now();
  if (commands_.size() > kMostCommandsAtOnce) throw Failure("too_many_commands", "");
  for (const core::Command& command : commands_) {
    world_.trace.command(number_, now, command);
    if (records_.has_stopped() && !tidies_up(command)) {
      throw Failure("silent_after_stopped", "command " + std::to_string(command.index()));
    }
    ++commands_done_;
    std::visit([this](const auto& c) { perform(c); }, command);
  }
  records_.check(*gate_, now);
  records_.check_shares(permits_, now);
  permits_.check(*gate_);
  if (++handled_ % 4 == 0) gate_->check_invariants();
}

void Instance::before(const core::Event& event) {
  const Instant now = world_.timeline.now();
  if (const auto* e = std::get_if<core::PartitionAssigned>(&event)) records_.assigned(*e);
  if (const auto* e = std::get_if<core::PartitionRevoked>(&event))
    records_.revoked(e->partition, e->deadline);
  if (const auto* e = std::get_if<core::PartitionMoved>(&event)) records_.moved(*e);
  if (const auto* e = std::get_if<core::PartitionLost>(&event)) records_.lost(e->partition, now);
  if (const auto* e = std::get_if<core::StopRequested>(&event)) records_.stop(e->deadline);
  if (const auto* e = std::get_if<core::RecordArrived>(&event)) {
    records_.arrived(*e, log_record(e->record).bad, now);
  }
  if (const auto* e = std::get_if<core::RecordFiltered>(&event)) records_.filtered(*e);
  if (const auto* e = std::get_if<core::DeliveryEnded>(&event)) records_.delivery_ended(*e, now);
  if (const auto* e = std::get_if<core::TargetHold>(&event)) {
    records_.held(e->target, now + e->length);
  }
  if (const auto* e = std::get_if<core::TargetReady>(&event)) records_.ready(e->target);
  if (const auto* e = std::get_if<core::RoutePaused>(&event)) records_.paused(*e, now);
  if (const auto* e = std::get_if<core::LinePaused>(&event)) records_.paused(*e, now);
  if (const auto* e = std::get_if<core::PartitionPaused>(&event)) records_.paused(*e);
  if (const auto* e = std::get_if<core::DeadLetterEnded>(&event))
    records_.dead_letter_ended(*e, now);
  if (const auto* e = std::get_if<core::CommitEnded>(&event)) records_.commit_ended(*e);
  if (const auto* e = std::get_if<core::PermitsFailed>(&event)) {
    permits_.failed(*e);
    limits_.failed(*e, now);
  }
  if (const auto* e = std::get_if<core::LimitsChanged>(&event)) {
    permits_.limits_changed(e->line);
    limits_.limits_changed(*e, lines_[e->line.value].route, now);
  }
  if (const auto* e = std::get_if<core::StoreDown>(&event)) permits_.store(e->store, false);
  if (const auto* e = std::get_if<core::StoreUp>(&event)) {
    permits_.store(e->store, true);
    limits_.begin_anew();
  }
  const auto* answer = std::get_if<core::PermitsAnswered>(&event);
  if (!answer) return;
  limits_.answered(*answer, now);
  if (!permits_.answered(*answer, now)) return;
  const bool never = answer->due.empty() && !answer->retry;
  if (never) {
    const std::int64_t cost = questions_[answer->ask].costs.front();
    if (!answer->stand_in) records_.denied_for_good(answer->line, cost);
    if (answer->stand_in) records_.one_set_aside(answer->line, cost, now + kAskAgainForNever);
  }
}

core::LineId Instance::line_for(core::RouteId route, std::int64_t key) {
  const RouteSettings& settings = world_.settings.routes[route.value];
  const bool keyed = std::any_of(settings.limits.begin(), settings.limits.end(),
                                 [&](std::size_t i) { return world_.settings.limits[i].keyed; });
  if (!keyed) key = -1;
  const auto [at, fresh] = line_ids_.try_emplace({route.value, key});
  if (!fresh) return at->second;
  if (free_lines_.empty()) {
    free_lines_.push_back(core::LineId{static_cast<std::uint32_t>(lines_.size())});
    lines_.emplace_back();
  }
  const core::LineId id = at->second = free_lines_.back();
  free_lines_.pop_back();
  Line line{route, settings.options.store, key, {}};
  for (const std::size_t limit : settings.limits) {
    const bool by_key = world_.settings.limits[limit].keyed;
    line.buckets.push_back({settings.options.store.value, limit, by_key ? key : -1});
  }
  lines_[id.value] = std::move(line);
  permits_.line_added(id, route, settings.keep_lines);
  gate_->add_line(id, route, settings.keep_lines);
  return id;
}

void Instance::assign(std::size_t partition) {
  if (free_partitions_.empty()) {
    free_partitions_.push_back(core::PartitionId{static_cast<std::uint32_t>(assignments_.size())});
    assignments_.emplace_back();
  }
  const core::PartitionId id = free_partitions_.back();
  free_partitions_.pop_back();
  assignments_[id.value] = world_.kafka.assign(partition, *this, id);
  tell(core::PartitionAssigned{id, world_.kafka.route(partition), world_.kafka.start(partition),
                               assignments_[id.value]->finished,
                               !world_.kafka.has_commit(partition)});
}

void Instance::revoke(Assignment& assignment) {
  if (assignment.leaving && !stopping_) return;
  assignment.leaving = true;
  tell(core::PartitionRevoked{assignment.id,
                              world_.timeline.now() + world_.settings.revoke_timeout});
}

void Instance::kick() {
  if (kicked_) return;
  kicked_ = true;
  std::vector<std::shared_ptr<Assignment>> mine;
  for (const std::shared_ptr<Assignment>& assignment : assignments_) {
    if (!assignment) continue;
    mine.push_back(assignment);
    if (world_.kafka.take_away(*assignment)) world_.partition_free(assignment->partition);
  }
  const Duration unaware = world_.dice.duration(Duration::micros(1), Duration::seconds(2));
  after(unaware, [this, mine] {
    kicked_ = false;
    for (const std::shared_ptr<Assignment>& assignment : mine) {
      if (assignments_[assignment->id.value] != assignment || assignment->lost) continue;
      assignment->leaving = assignment->lost = true;
      tell(core::PartitionLost{assignment->id});
    }
  });
}

void Instance::hold_target(core::TargetId target, Duration length) {
  tell(core::TargetHold{target, length});
}

void Instance::crash() {
  gate_.reset();
  for (const std::shared_ptr<Assignment>& assignment : assignments_) {
    if (assignment && world_.kafka.take_away(*assignment)) {
      world_.partition_free(assignment->partition);
    }
  }
  world_.instance_gone();
}

void Instance::stop(Duration patience) {
  if (stopping_) return;
  stopping_ = true;
  for (const std::shared_ptr<Assignment>& assignment : assignments_) {
    if (assignment) assignment->leaving = true;
  }
  tell(core::StopRequested{world_.timeline.now() + patience});
}

void Instance::reload(Duration delay) {
  after(delay, [this] {
    const Instant now = world_.timeline.now();
    world_.count_step();
    world_.trace.note(now, "gate " + std::to_string(number_) + " reloads");
    settings_ = world_.settings;
    records_.reloaded();
    permits_.reloaded();
    limits_.reloaded(world_.timeline.now());
    commands_.clear();
    gate_->reconfigure(settings_.gate, now, commands_);
    carry_out();
    wake(Duration{});
  });
}

void Instance::check_idle() const {
  if (!records_.idle()) throw Failure("idle_records", "records are left in the gate");
  permits_.check_idle();
  gate_->check_invariants();
  if (gate_->next_wakeup()) {
    throw Failure("idle_wakeup", "an idle gate wants to be woken for " + next_alarm(*gate_));
  }
}

std::string Instance::longest_lines() const {
  std::string text;
  for (const core::LineStanding& line : gate_->longest_lines(8, world_.timeline.now())) {
    text += "; line " + std::to_string(line.line.value) + " of gate " + std::to_string(number_) +
            ": " + std::to_string(line.waiting) + " wait for " +
            std::to_string(static_cast<int>(line.waits));
    if (line.limit) text += " of limit " + std::to_string(line.limit->value);
    if (line.until) text += " until " + std::to_string(line.until->us);
  }
  return text;
}

}  // namespace einlass::simulation
