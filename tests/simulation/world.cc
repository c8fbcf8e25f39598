#include "world.h"

#include <algorithm>
#include <string>
#include <utility>

#include "full_speed.h"

namespace einlass::simulation {
namespace {

// The longest that something may be left over: a target that hangs, and what follows from it.
constexpr Duration kSettling = Duration::seconds(10);
constexpr Duration kQuiet = Duration::seconds(5);

// Of a whole run; the longest that are due have a tenth of it.
constexpr std::uint64_t kMostSteps = 2'000'000;

// After so many steps it looks how long the world has taken.
constexpr std::uint64_t kLookEvery = 256;

// These strike from outside, so many times in a second; the others happen to something that goes
// on.
constexpr Fault kStrikes[] = {Fault::revoke,      Fault::lost,       Fault::crash,
                              Fault::stop,        Fault::store_down, Fault::store_empty,
                              Fault::target_held, Fault::reload,     Fault::moved,
                              Fault::value,       Fault::paused};

}  // namespace

World::World(const Settings& drawn, Trace& trace_to)
    : settings(drawn),
      trace(trace_to),
      faults(settings),
      kafka(settings),
      limiter(settings),
      book(settings),
      target(settings, faults),
      dice(settings.seed, "world") {}

Result World::run(std::optional<std::uint64_t> most_steps) {
  steps_left_ = most_steps.value_or(~std::uint64_t{0});
  try {
    let_happen();
    drain();
    stay_quiet();
    stop_all();
  } catch (const Enough&) {
  }
  book.check();
  return {steps, trace.hash()};
}

void World::count_step() {
  if (steps_left_-- == 0) throw Enough{};
  if (++steps > kMostSteps) throw Failure("too_many_steps", std::to_string(steps));
  if (steps % kLookEvery != 0 || (std::clock() - began_) / CLOCKS_PER_SEC < kMostSeconds) return;
  const Duration lasted = timeline.now() - Timeline().now();
  throw Failure(kHangs, "no end within " + std::to_string(kMostSeconds) + " s, but " +
                            std::to_string(steps) + " steps, and " + std::to_string(lasted.us) +
                            " us of the world");
}

PermitKey World::new_permits(std::int64_t count) {
  return std::exchange(next_permit_, next_permit_ + static_cast<PermitKey>(count));
}

void World::start_instance() {
  instances.push_back(std::make_unique<Instance>(*this, instances.size()));
}

Instance* World::somebody(Dice& with) {
  std::vector<Instance*> there;
  for (const auto& instance : instances) {
    if (instance->alive() && !instance->stopping() && !instance->kicked()) {
      there.push_back(instance.get());
    }
  }
  if (there.empty()) return nullptr;
  return there[static_cast<std::size_t>(
      with.between(0, static_cast<std::int64_t>(there.size()) - 1))];
}

// Gives the partition to somebody, as soon as somebody is there.
void World::give_away(std::size_t partition) {
  if (kafka.current(partition) || ending_) return;
  if (Instance* owner = somebody(dice)) return owner->assign(partition);
  timeline.after(Duration::millis(20), [this, partition] { give_away(partition); });
}

void World::partition_free(std::size_t partition) {
  const Duration rebalance = dice.duration(Duration::micros(1), Duration::millis(500));
  timeline.after(rebalance, [this, partition] { give_away(partition); });
}

void World::instance_gone() {
  if (settings.store_in_process) {
    for (std::size_t store = 0; store < settings.gate.stores; ++store) limiter.restart_empty(store);
  }
  if (ending_) return;
  timeline.after(dice.duration(Duration::millis(1), Duration::seconds(1)),
                 [this] { start_instance(); });
}

void World::append_next(std::size_t partition, std::size_t index) {
  const std::vector<LogRecord>& log = kafka.log(partition);
  if (index >= log.size()) return;
  // What comes at one instant is told once: a turn for each record would look as if the gate spun.
  std::size_t next = index + 1;
  while (next < log.size() && log[next].appended == log[index].appended) ++next;
  timeline.at(log[index].appended, [this, partition, next] {
    if (const auto& owner = kafka.current(partition)) owner->owner->records_appended();
    append_next(partition, next);
  });
}

void World::plan(Fault fault) {
  if (!settings.has(fault)) return;
  const double gap = 2'000'000 / settings.of(fault);
  const Duration delay{faults.dice(fault).between(0, static_cast<std::int64_t>(gap))};
  timeline.after(delay, [this, fault] {
    if (faults.stopped()) return;
    strike(fault);
    plan(fault);
  });
}

void World::strike(Fault fault) {
  Dice& with = faults.dice(fault);
  const core::StoreId store{static_cast<std::uint8_t>(with.between(0, settings.gate.stores - 1))};
  if (fault == Fault::revoke) return strike_partitions(with);
  if (fault == Fault::reload) return reload(with);
  if (fault == Fault::moved) return delete_some(with);
  if (fault == Fault::value) return change_value(with);
  if (fault == Fault::store_empty) return limiter.restart_empty(store.value);
  Instance* victim = somebody(with);
  if (!victim) return;
  const Duration some = with.duration(Duration::micros(1), Duration::seconds(2));
  if (fault == Fault::target_held) {
    const auto last = static_cast<std::int64_t>(settings.gate.targets.size()) - 1;
    const core::TargetId held{static_cast<std::uint16_t>(with.between(0, last))};
    victim->hold_target(held, some);
  }
  if (fault == Fault::paused) victim->pause_something(with, some);
  if (fault == Fault::lost) victim->kick();
  if (fault == Fault::crash) victim->crash();
  if (fault == Fault::stop) victim->stop(some);
  if (fault == Fault::store_down && !settings.store_in_process) victim->store_down(store, some);
}

// One partition changes hands, or several at once.
void World::strike_partitions(Dice& with) {
  const std::int64_t last = static_cast<std::int64_t>(kafka.partitions()) - 1;
  const std::size_t chosen = static_cast<std::size_t>(with.between(0, last));
  const bool all = with.chance(0.3);
  for (std::size_t i = 0; i < kafka.partitions(); ++i) {
    const std::shared_ptr<Assignment> current = kafka.current(i);
    if ((all || i == chosen) && current) current->owner->revoke(*current);
  }
}

// Each gate hears of it at another time.
void World::reload(Dice& with) {
  draw_reload(settings, with);
  for (const auto& instance : instances) {
    if (instance->alive())
      instance->reload(with.duration(Duration::micros(1), Duration::seconds(1)));
  }
}

// The limiter goes by it at once.
void World::change_value(Dice& with) {
  const auto changed = draw_value(settings, with);
  if (!changed) return;
  trace.note(timeline.now(), "limit " + std::to_string(changed->first) + " is " +
                                 std::to_string(settings.values[*changed]) + " for key " +
                                 std::to_string(changed->second));
  for (const auto& instance : instances) {
    if (!instance->alive()) continue;
    instance->value_changed(changed->first, changed->second,
                            with.duration(Duration::micros(1), Duration::seconds(1)));
  }
}

// Of what one gate has not read yet.
void World::delete_some(Dice& with) {
  const std::int64_t last = static_cast<std::int64_t>(kafka.partitions()) - 1;
  const auto partition = static_cast<std::size_t>(with.between(0, last));
  const std::int64_t records = with.spread(1, 50);
  const std::shared_ptr<Assignment> current = kafka.current(partition);
  if (current) current->owner->delete_next(*current, records);
}

void World::let_happen() {
  for (std::size_t i = 0; i < settings.instances; ++i) start_instance();
  for (std::size_t i = 0; i < kafka.partitions(); ++i) {
    partition_free(i);
    append_next(i, 0);
  }
  for (const Fault fault : kStrikes) plan(fault);
  const Instant end = timeline.now() + settings.chaos;
  while (timeline.step(end)) {
  }
}

// A line that asks ahead of time and is given no more than what is due, or nothing, takes it that
// the next lie beyond the horizon, and asks much later than it could. The program gives no horizon
// to a route with a limit that grants nothing ahead; here there are such routes.
Duration World::wait_for_no_tickets() const {
  const auto grants_ahead = [](const LimitSettings& limit) { return limit.ahead || limit.held; };
  if (std::ranges::all_of(settings.limits, grants_ahead)) return {};
  Duration longest;
  for (const core::RouteOptions& route : settings.gate.routes) {
    longest = std::max(longest, route.horizon);
  }
  return longest;
}

Duration World::drain_bound() const {
  const std::int64_t left = kafka.unfinished();
  Duration each = settings.latency + settings.answer_delay * 4 + Duration::millis(20);
  Duration bound = Duration::seconds(60) + kLongestEarly;
  for (const LimitSettings& limit : settings.limits) {
    const Duration one =
        limit.log ? limit.window / limit.limit : Duration{limit.micros / limit.permits};
    each = each + one * (limit.varies ? 4 : 1);
    bound = bound + limit.window;
  }
  each = each + wait_for_no_tickets();
  for (const core::TargetOptions& at : settings.gate.targets) {
    each = each + at.batch.linger;
    if (at.transactional) each = each + settings.commit_delay * 2;
  }
  return bound + each * left * 2;
}

// What the longest lines of each gate wait for.
std::string World::waiting() const {
  std::string text;
  for (const auto& instance : instances) {
    if (instance->alive()) text += instance->longest_lines();
  }
  return text;
}

// Nothing goes wrong any more, so everything has to come to its end within the bound.
void World::drain() {
  faults.stop();
  trace.note(timeline.now(), "no more faults");
  const Instant bound = timeline.now() + drain_bound();
  Instant look = timeline.now();
  while (!kafka.all_done()) {
    look = look + Duration::millis(100);
    while (timeline.step(look)) {
    }
    if (look > bound) throw Failure("drains_in_time", kafka.missing() + waiting());
  }
  drained_at_ = look;
  if (settings.at_full_speed) check_full_speed();
}

// Whatever is scarcest was in use nearly all of the time, and no limit was asked much more often
// than it granted something: two asks a permit by each gate, and some now and then.
void World::check_full_speed() const {
  const Duration took = drained_at_ - Timeline().now();
  const Duration needed = time_at_full_speed(settings, kafka);
  const Duration most = needed + needed / 4 + Duration::seconds(1);
  require(took <= most, "too_slow",
          std::to_string(took.us) + " us, needed " + std::to_string(needed.us));
  std::uint64_t asks = 0, used = 0;
  for (const auto& instance : instances) {
    asks += instance->asks();
    used += instance->permits_used();
  }
  const auto now_and_then = static_cast<std::uint64_t>(took.us / 5'000) + 500;
  require(asks <= 2 * used * settings.instances + now_and_then * settings.instances,
          "asks_too_often",
          std::to_string(asks) + " asks for " + std::to_string(used) + " permits");
}

// Then everything that is left over comes to an end, and nobody does anything.
void World::stay_quiet() {
  const Instant quiet_from = drained_at_ + kSettling;
  while (timeline.step(quiet_from)) {
  }
  std::uint64_t commands = 0;
  for (const auto& instance : instances) {
    if (instance->alive()) instance->check_idle();
    commands += instance->commands_done();
  }
  while (timeline.step(quiet_from + kQuiet)) {
  }
  for (const auto& instance : instances) commands -= instance->commands_done();
  if (commands != 0) throw Failure("idle_is_quiet", "commands without a reason");
}

void World::stop_all() {
  ending_ = true;
  for (const auto& instance : instances) {
    if (instance->alive()) instance->stop(Duration::seconds(1));
  }
  const Instant end = drained_at_ + kSettling + kQuiet * 3;
  while (timeline.step(end)) {
  }
  for (const auto& instance : instances) {
    if (instance->alive())
      throw Failure("stops_in_time", "gate " + std::to_string(instance->number()));
  }
}

}  // namespace einlass::simulation
