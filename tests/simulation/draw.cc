#include "draw.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "full_speed.h"

namespace einlass::simulation {
namespace {

// How often, where a run has the fault at all: per occasion, or per second for those that strike
// from outside (world.cc).
constexpr std::array<double, kFaults> kMost = {
    6.0, 2.0, 1.5, 1.5, 0.4, 0.3,  0.2, 0.3,  0.3, 0.5, 2.0, 1.0, 0.5, 0.3, 0.2,
    0.1, 1.0, 0.4, 0.5, 0.7, 0.03, 0.3, 0.2,  1.0, 0.8, 0.8, 0.2, 1.0, 0.6, 3.0,
    0.1, 0.6, 0.3, 0.6, 0.8, 2.0,  0.7, 60.0, 1.5, 0.7, 0.5, 0.5, 0.7};

void draw_faults(Settings& settings, const Overrides& overrides) {
  Dice dice(settings.seed, "faults");
  const bool calm = dice.chance(0.1);
  for (std::size_t i = 0; i < kFaults; ++i) {
    const bool on = dice.chance(0.45);
    const double rate =
        kMost[i] * std::pow(10.0, -1.5 * static_cast<double>(dice.between(0, 100)) / 100);
    if (on && !calm && !overrides.without[i]) settings.rate[i] = rate;
  }
}

// Any route may be handed records of another's partitions, as draw_route() in kafka_world.cc does.
void say_who_leads_on(Settings& settings) {
  const bool any = settings.has(Fault::handed_on) && settings.routes.size() > 1;
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    settings.routes[i].options.leads_on = settings.gate.routes[i].leads_on = any;
  }
}

LimitSettings draw_limit(Dice& dice) {
  LimitSettings limit;
  limit.log = dice.chance(0.5);
  limit.keyed = dice.chance(0.5);
  limit.limit = dice.spread(1, 100);
  limit.window = dice.duration(Duration::millis(50), Duration::seconds(2));
  // No slower than one permit in a second, so that runs end.
  if (limit.limit * 1'000'000 < limit.window.us) limit.limit = 2;
  limit.permits = dice.spread(1, 500);
  limit.micros = dice.between(500'000, 1'000'000);
  limit.ahead = dice.chance(0.8);
  limit.varies = dice.chance(0.2);
  limit.held = dice.chance(0.2);
  if (limit.held) {
    limit.log = true;
    limit.varies = limit.ahead = false;
    limit.limit = dice.spread(1, 30);
  }
  return limit;
}

void draw_horizon(Dice& dice, core::RouteOptions& options) {
  options.horizon = Duration{};
  if (dice.chance(0.6)) options.horizon = dice.duration(Duration::millis(5), Duration::millis(500));
  options.use_within = dice.duration(Duration::millis(1), Duration::millis(500));
  options.slot = dice.chance(0.5) ? options.use_within / dice.between(2, 50) : Duration{};
}

void draw_attempts(Dice& dice, core::RouteOptions& options) {
  options.retry_initial = dice.duration(Duration::millis(1), Duration::millis(500));
  options.retry_max = options.retry_initial * dice.spread(1, 20);
  options.attempts = dice.chance(0.4) ? static_cast<std::uint32_t>(dice.between(1, 5)) : 0;
}

void draw_room(Dice& dice, core::RouteOptions& options) {
  options.inside_records = dice.spread(1, 200);
  options.inside_bytes = Bytes{dice.spread(1'000, 200'000)};
}

core::RouteOptions draw_route_options(Dice& dice, const Settings& settings) {
  core::RouteOptions options;
  options.target.value = static_cast<std::uint16_t>(
      dice.between(0, static_cast<std::int64_t>(settings.gate.targets.size()) - 1));
  options.order = static_cast<core::Order>(dice.between(0, 2));
  options.store.value = static_cast<std::uint8_t>(dice.between(0, settings.gate.stores - 1));
  draw_horizon(dice, options);
  draw_attempts(dice, options);
  options.dead_letter = dice.chance(0.5);
  draw_room(dice, options);
  return options;
}

RouteSettings draw_route(Dice& dice, const Settings& settings) {
  RouteSettings route;
  route.options = draw_route_options(dice, settings);
  route.keys = dice.spread(1, 40);
  for (std::size_t i = 0; i < settings.limits.size(); ++i) {
    if (!dice.chance(0.55)) continue;
    const LimitSettings& limit = settings.limits[i];
    const std::uint32_t bit = 1u << route.options.limit_count;
    if (!limit.keyed) route.options.keyless_limits |= bit;
    if (limit.held) route.options.held_limits |= bit;
    route.options.cost_varies |= limit.varies;
    if (limit.varies) route.most_cost = std::min(route.most_cost, limit.limit);
    // A limit has one store: where two routes have it in different ones, it is two limits.
    route.options.limits[route.options.limit_count] = core::LimitId{
        static_cast<std::uint16_t>(i * settings.gate.stores + route.options.store.value)};
    ++route.options.limit_count;
    route.limits.push_back(i);
  }
  route.keep_lines = std::none_of(route.limits.begin(), route.limits.end(),
                                  [&](std::size_t i) { return settings.limits[i].keyed; }) &&
                     dice.chance(0.5);
  return route;
}

void draw_bounds(Dice& dice, core::GateOptions& gate) {
  gate.commit_interval = dice.duration(Duration::millis(5), Duration::millis(500));
  gate.inside_records = dice.spread(2, 500);
  gate.inside_bytes = Bytes{dice.spread(2'000, 1'000'000)};
}

void draw_gate(Dice& dice, Settings& settings) {
  const std::int64_t targets = dice.between(1, 2);
  for (std::int64_t i = 0; i < targets; ++i) {
    settings.gate.targets.push_back({static_cast<std::uint32_t>(dice.spread(1, 64))});
  }
  settings.gate.stores = static_cast<std::uint8_t>(dice.between(1, 2));
  draw_bounds(dice, settings.gate);
  if (dice.chance(0.3)) settings.gate.most_finished_text = dice.spread(64, 400);
  settings.gate.seed = dice.next();
  for (std::int64_t left = dice.between(0, 4); left > 0; --left) {
    settings.limits.push_back(draw_limit(dice));
  }
  for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
    settings.routes.push_back(draw_route(dice, settings));
    settings.gate.routes.push_back(settings.routes.back().options);
  }
}

// Which limits grant less far ahead than they are asked to. Dice of its own, as below.
void draw_queues(Settings& settings) {
  Dice dice(settings.seed, "queues");
  for (LimitSettings& limit : settings.limits) {
    if (!dice.chance(0.2)) continue;
    limit.most_ahead = dice.duration(Duration::millis(1), Duration::millis(100));
  }
}

void draw_breaker(Dice& dice, core::BreakerOptions& breaker) {
  breaker.failures = static_cast<std::uint32_t>(dice.spread(1, 20));
  breaker.wait = dice.duration(Duration::millis(1), Duration::seconds(1));
  breaker.max_wait = breaker.wait * dice.spread(1, 8);
}

// How targets treat retries. Dice of its own, so that older seeds keep their worlds.
void draw_retries(Settings& settings) {
  Dice dice(settings.seed, "retries");
  for (core::TargetOptions& target : settings.gate.targets) {
    target.retry_share = dice.chance(0.3) ? 100 : dice.spread(1, 99);
    if (!dice.chance(0.4)) draw_breaker(dice, target.breaker);
  }
}

// How long nothing good is heard before failures without an answer count. Dice of its own, as above.
void draw_silences(Settings& settings) {
  Dice dice(settings.seed, "silences");
  for (core::TargetOptions& target : settings.gate.targets) {
    if (dice.chance(0.5)) continue;
    target.breaker.silence = dice.duration(Duration::millis(1), Duration::seconds(2));
  }
}

void draw_batch(Dice& dice, const core::GateOptions& gate, core::BatchOptions& batch) {
  Duration shortest = Duration::seconds(1);
  for (const core::RouteOptions& route : gate.routes) {
    shortest = std::min(shortest, route.use_within);
  }
  batch.records = static_cast<std::uint32_t>(dice.spread(2, 60));
  batch.bytes = Bytes{dice.spread(200, 1'000'000)};
  batch.names = Bytes{60 + batch.bytes.value % 2'000};
  batch.linger = Duration{};
  if (dice.chance(0.6)) batch.linger = dice.duration(Duration::micros(10), shortest / 2);
}

// Which targets take several records in one request. Dice of its own, as above.
void draw_batches(Settings& settings) {
  Dice dice(settings.seed, "batches");
  for (core::TargetOptions& target : settings.gate.targets) {
    if (dice.chance(0.6)) continue;
    target.retry_share = 100;
    draw_batch(dice, settings.gate, target.batch);
  }
}

// In some worlds nothing is wrong with a target but some of its records, and its breaker is on.
// Dice of its own, as above.
void draw_bad_records(Settings& settings) {
  Dice dice(settings.seed, "bad records");
  if (settings.has(Fault::record_fails)) {
    settings.most_bad_together = dice.spread(1, 200);
  }
  if (!dice.chance(0.3) || !settings.has(Fault::record_fails)) return;
  settings.well_targets = true;
  for (const Fault fault :
       {Fault::target_retry, Fault::retry_after, Fault::target_hangs, Fault::target_slow,
        Fault::target_fails, Fault::target_held, Fault::target_unusable, Fault::target_says_which,
        Fault::commit_failed, Fault::transaction_unknown, Fault::stall, Fault::reload,
        Fault::not_asked, Fault::record_waits}) {
    settings.rate[static_cast<std::size_t>(fault)] = 0;
  }
}

void draw_surroundings(Dice& dice, Settings& settings) {
  for (std::size_t route = 0; route < settings.routes.size(); ++route) {
    for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
      settings.partitions.push_back(route);
    }
  }
  settings.instances = static_cast<std::size_t>(dice.chance(0.5) ? 1 : dice.between(2, 3));
  settings.records = dice.spread(5, 3'000);
  settings.store_in_process = settings.instances == 1 && dice.chance(0.3);
  settings.chaos = dice.duration(Duration::millis(500), Duration::seconds(20));
  settings.answer_delay = dice.duration(Duration::micros(50), Duration::millis(20));
  settings.ask_timeout = Duration::millis(500);
  settings.latency = dice.duration(Duration::micros(200), Duration::millis(50));
  settings.target_timeout = dice.duration(Duration::millis(300), Duration::seconds(8));
  settings.revoke_timeout = dice.duration(Duration::millis(10), Duration::seconds(3));
  settings.commit_delay = dice.duration(Duration::micros(200), Duration::millis(20));
  settings.poll_budget = static_cast<int>(dice.spread(1, 100));
  // The lease of a limit on attempts under way outlives any of them, and all that is late.
  for (LimitSettings& limit : settings.limits) {
    if (limit.held) limit.window = settings.target_timeout + Duration::seconds(4);
  }
}

// In some worlds nothing goes wrong, and all records are there from the beginning: all that is left
// is how well what is scarce is used. Not where records go together: how many do is for the gate to
// say, and so is how many requests a target needs. Dice of its own, as above.
void draw_full_speed(Settings& settings) {
  Dice dice(settings.seed, "full speed");
  const auto together = [](const core::TargetOptions& target) { return target.batch.records > 1; };
  if (!dice.chance(0.04) || std::ranges::any_of(settings.gate.targets, together)) return;
  settings.at_full_speed = true;
  std::ranges::fill(settings.rate, 0.0);
  settings.chaos = Duration::millis(1);
  settings.records = dice.spread(200, 3'000);
  settings.poll_budget = 100;
  settings.gate.inside_records = 100'000;
  settings.gate.inside_bytes = Bytes{1 << 30};
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    core::RouteOptions& route = settings.gate.routes[i];
    route.order = core::Order::none;
    route.use_within = std::max(route.use_within, Duration::millis(20));
    route.inside_records = 10'000;
    route.inside_bytes = Bytes{1 << 30};
    settings.routes[i].options = route;
  }
  slow_down_to_be_judged(settings);
}

// Dice of its own, as above. Few records of most worlds finish within an interval.
void draw_commits(Settings& settings) {
  Dice dice(settings.seed, "commits");
  settings.gate.commit_records = static_cast<std::uint32_t>(dice.spread(1, 300));
}

// How much targets take at once. Dice of its own, as above.
void draw_at_once(Settings& settings) {
  Dice dice(settings.seed, "at once");
  if (settings.at_full_speed || !dice.chance(0.2)) return;
  for (core::TargetOptions& target : settings.gate.targets) {
    if (!target.transactional) target.at_once = Bytes{dice.spread(1, 20'000)};
  }
}

// Which targets deliver and commit in one. Dice of its own, as above. What finishes in other ways
// and what is given up meanwhile are seldom else.
void draw_transactions(Settings& settings) {
  Dice dice(settings.seed, "transactions");
  bool any = false;
  for (core::TargetOptions& target : settings.gate.targets) {
    if (!dice.chance(0.5) || target.batch.records == 1) continue;
    any = target.transactional = true;
    target.max_in_flight = 1;
  }
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    core::RouteOptions& options = settings.routes[i].options;
    const bool also = dice.chance(0.5);
    options.dead_letter |= also && settings.gate.targets[options.target.value].transactional;
    settings.gate.routes[i] = options;
  }
  const Duration hurry = dice.duration(Duration::millis(10), Duration::millis(200));
  if (!dice.chance(0.4) || !any) return;
  settings.revoke_timeout = hurry;
  for (const Fault often : {Fault::revoke, Fault::commit_slow, Fault::target_refused}) {
    double& rate = settings.rate[static_cast<std::size_t>(often)];
    if (rate > 0) rate = kMost[static_cast<std::size_t>(often)];
  }
}

}  // namespace

Dice::Dice(std::uint64_t seed, std::string_view name) : state_(seed * 0x9E3779B97F4A7C15u + 1) {
  for (const char c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  next();
}

std::uint64_t Dice::next() {  // SplitMix64.
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::int64_t Dice::between(std::int64_t least, std::int64_t most) {
  if (most <= least) return least;
  const std::uint64_t range = static_cast<std::uint64_t>(most - least) + 1;
  return least + static_cast<std::int64_t>(next() % range);
}

std::int64_t Dice::spread(std::int64_t least, std::int64_t most) {
  const double part = static_cast<double>(next() >> 11) / 9007199254740992.0;
  const double value = static_cast<double>(least) *
                       std::pow(static_cast<double>(most) / static_cast<double>(least), part);
  return std::clamp(static_cast<std::int64_t>(std::llround(value)), least, most);
}

bool Dice::chance(double probability) {
  return static_cast<double>(next() >> 11) / 9007199254740992.0 < probability;
}

Duration Dice::duration(Duration least, Duration most) { return {spread(least.us, most.us)}; }

Settings draw_settings(std::uint64_t seed, const Overrides& overrides) {
  Settings settings;
  settings.seed = seed;
  Dice dice(seed, "settings");
  draw_gate(dice, settings);
  draw_retries(settings);
  draw_silences(settings);
  draw_queues(settings);
  draw_shares(settings);
  draw_batches(settings);
  draw_surroundings(dice, settings);
  draw_faults(settings, overrides);
  say_who_leads_on(settings);
  draw_transactions(settings);
  draw_bad_records(settings);
  draw_full_speed(settings);
  draw_commits(settings);
  draw_at_once(settings);
  if (overrides.records) settings.records = std::min(settings.records, *overrides.records);
  if (overrides.instances) settings.instances = std::min(settings.instances, *overrides.instances);
  return settings;
}

// Some of the numbers, or none: what waits looks again all the same.
void draw_reload(Settings& settings, Dice& dice) {
  core::GateOptions& gate = settings.gate;
  if (dice.chance(0.5)) draw_bounds(dice, gate);
  if (dice.chance(0.5)) gate.commit_records = static_cast<std::uint32_t>(dice.spread(1, 300));
  for (std::size_t i = 0; i < gate.routes.size(); ++i) {
    core::RouteOptions& route = gate.routes[i];
    if (dice.chance(0.5)) draw_horizon(dice, route);
    if (dice.chance(0.5)) draw_attempts(dice, route);
    if (dice.chance(0.5)) draw_room(dice, route);
    settings.routes[i].options = route;
  }
  for (core::TargetOptions& target : gate.targets) {
    if (target.batch.records > 1) draw_batch(dice, gate, target.batch);
    if (!target.transactional && dice.chance(0.5)) {
      target.max_in_flight = static_cast<std::uint32_t>(dice.spread(1, 64));
    }
    if (dice.chance(0.3)) target.breaker.failures = 0;
    if (dice.chance(0.3)) draw_breaker(dice, target.breaker);
    if (dice.chance(0.3)) {
      target.breaker.silence = dice.duration(Duration::millis(1), Duration::seconds(2));
    }
  }
}

}  // namespace einlass::simulation
