#include "limit_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trace.h"

namespace einlass::simulation {
namespace {

// A gate looks that often, at least, for what others may have freed of a limit on attempts.
constexpr Duration kLooksAgain = Duration::millis(20);

// It leaves places of such a limit to others that often, and for so long.
constexpr Duration kLeavesEach = Duration::millis(480);
constexpr Duration kLeaves = Duration::millis(20);

// Before what failed, or what no waiting helps, is asked again.
constexpr Duration kAfterFailure = Duration::millis(50);
constexpr Duration kAfterNever = Duration::seconds(1);

// Before a line that others go before looks again, at most.
constexpr Duration kAfterOthers = Duration::millis(20);

}  // namespace

std::vector<LimitChecks::SharedKey> LimitChecks::shared_of(core::RouteId route) const {
  std::vector<SharedKey> shared;
  const RouteSettings& settings = settings_.routes[route.value];
  for (const std::size_t limit : settings.limits) {
    if (settings_.limits[limit].keyed) continue;
    shared.emplace_back(settings.options.store.value, limit);
  }
  return shared;
}

// Of several limits a line learns first which one it is that binds, and then asks ahead of time.
bool LimitChecks::learns(core::RouteId route, const core::Ask& ask) const {
  const core::RouteOptions& options = settings_.gate.routes[route.value];
  return options.limit_count > 1 && options.horizon > Duration{} && ask.horizon == Duration{};
}

// Then it is asked as soon as these can have something: who looks less far ahead asks in vain.
bool LimitChecks::others_look_further(const SharedKey& key, Duration horizon) const {
  return std::ranges::any_of(settings_.routes, [&](const RouteSettings& route) {
    return route.options.store.value == key.first && route.options.horizon > horizon &&
           std::ranges::find(route.limits, key.second) != route.limits.end();
  });
}

void LimitChecks::ask(const core::Ask& command, core::RouteId route, Instant now) {
  const std::vector<SharedKey> shared = shared_of(route);
  for (const SharedKey& key : shared) {
    Shared& limit = shared_[key];
    ++limit.open;
    // Who waits for two stands in the queue of one.
    if (command.again || shared.size() > 1 || learns(route, command)) continue;
    if (others_look_further(key, command.horizon) || command.cost < limit.cost) continue;
    const Instant reaches = now + std::max(command.horizon, limit.ahead);
    require(reaches >= limit.earliest, "shared_before_retry",
            "limit " + std::to_string(key.second) + ", " +
                std::to_string((limit.earliest - reaches).us) + " us too early");
  }
  open_[command.ask] = {route, command};
  Line& line = lines_[command.line];
  line.asking = true;
  line.left &= command.again;  // It is for the same records.
  line.changed = line.all_changed = false;
  // It may have been decided on before the change, in the same turn.
  line.at_a_change = line.all_changed_at == now;
}

// Where costs differ a limit was short for one record, and another may cost less.
void LimitChecks::record_gone(core::LineId line, core::RouteId route) {
  if (!settings_.gate.routes[route.value].cost_varies) return;
  lines_[line].left = true;
  for (const SharedKey& key : shared_of(route)) shared_[key].earliest = Instant{};
}

std::optional<LimitChecks::Open> LimitChecks::close(core::AskId ask) {
  const auto at = open_.find(ask);
  if (at == open_.end()) return std::nullopt;
  const Open open = at->second;
  open_.erase(at);
  for (const SharedKey& key : shared_of(open.route)) --shared_[key].open;
  return open;
}

void LimitChecks::answered(const core::PermitsAnswered& event, Instant now) {
  const std::optional<Open> open = close(event.ask);
  if (!open) return;  // The same answer once more.
  Line& line = lines_[event.line];
  line.told = now;
  line.asking = line.failed = false;
  const bool old = std::exchange(line.changed, false);
  const bool all_old = std::exchange(line.all_changed, false);
  if (all_old) forget_what_was_said(open->route, now);
  // What a costly record was given lies so far ahead that nothing was said of what may be had nearer.
  if (open->ask.horizon > settings_.gate.routes[open->route.value].horizon) {
    for (const SharedKey& key : shared_of(open->route)) shared_[key].earliest = Instant{};
  }
  line.short_of_all = false;
  const bool is_short = static_cast<std::int64_t>(event.due.size()) < open->ask.max.value;
  if (is_short && !event.retry && event.due.empty() && !old) line.told = now + kAfterNever;
  if (!is_short || !event.retry) return;
  const RouteSettings& route = settings_.routes[open->route.value];
  const std::size_t reason = route.limits[event.reason.value];
  const bool held = settings_.limits[reason].held;
  // It goes on granting ahead what comes free: there is no hurry to ask for that.
  const bool held_up = event.flows != nullptr && event.flows->held_up != HeldUp::no;
  Duration wait = held ? kLooksAgain : *event.retry + event.ahead;
  if (held_up) wait = std::max(wait, kAfterOthers);
  const Instant told = now + wait;
  if (!old) line.told = told;
  if (settings_.limits[reason].keyed) return;
  line.short_of_all = true;
  Shared& shared = shared_[{route.options.store.value, reason}];
  if (!all_old) shared.told = told;
  if (held) return;
  // What is there is for others: they may ask at once, and what it said is no reason to wait.
  if (line.left || held_up || all_old || line.at_a_change) {
    shared.earliest = Instant{};
    return;
  }
  const Instant earliest = now + std::min(*event.retry, kMayAsk) + event.ahead;
  if (learns(open->route, open->ask)) {
    shared.earliest = std::min(shared.earliest, earliest);
    return;
  }
  shared.earliest = earliest;
  shared.ahead = event.ahead;
  shared.cost = open->ask.cost;
}

void LimitChecks::failed(const core::PermitsFailed& event, Instant now) {
  close(event.ask);
  Line& line = lines_[event.line];
  line.told = now + kAfterFailure;
  line.failed = true;
  line.asking = line.changed = line.all_changed = false;
}

// Of its limits without key: their numbers are others.
void LimitChecks::forget_what_was_said(core::RouteId route, Instant now) {
  for (const SharedKey& key : shared_of(route)) {
    shared_[key].earliest = Instant{};
    shared_[key].told = std::min(shared_[key].told, now);
  }
}

void LimitChecks::limits_changed(const core::LimitsChanged& event, core::RouteId route,
                                 Instant now) {
  if (event.shared) forget_what_was_said(route, now);
  const auto at = lines_.find(event.line);
  if (at == lines_.end()) return;
  at->second.changed = at->second.asking;
  at->second.all_changed |= at->second.asking && event.shared;
  if (event.shared) at->second.all_changed_at = now;
  // What a limit without key has said holds, whatever the line's own numbers are.
  const bool holds = at->second.short_of_all && !event.shared;
  if (!at->second.failed && !holds) at->second.told = std::min(at->second.told, now);
}

void LimitChecks::begin_anew() {
  for (auto& [key, shared] : shared_) shared.earliest = Instant{};
}

// What answers say that are on their way is of the old numbers.
void LimitChecks::reloaded(Instant now) {
  begin_anew();
  for (auto& [id, line] : lines_) {
    line.changed = line.all_changed = line.asking;
    line.all_changed_at = now;
  }
}

bool LimitChecks::others_ask(core::RouteId route) const {
  return std::ranges::any_of(shared_of(route), [this](const SharedKey& key) {
    const auto at = shared_.find(key);
    return at != shared_.end() && at->second.open > 0;
  });
}

// Each of the limits on attempts under way does so at times of its own.
bool LimitChecks::leaves_places(Line& line, core::RouteId route, Instant now) const {
  for (const std::size_t limit : settings_.routes[route.value].limits) {
    if (!settings_.limits[limit].held) continue;
    Instant& began = line.leaves_since[limit];
    if (now - began >= kLeavesEach) began = now;
    if (now <= began + kLeaves) return true;
  }
  return false;
}

void LimitChecks::check_used(core::LineId id, core::RouteId route, bool idle, Instant now,
                             const std::function<std::string()>& explain) {
  Line& line = lines_[id];
  if (!idle) {
    line.idle_since.reset();
    return;
  }
  if (!line.idle_since) line.idle_since = now;
  Instant allowed = std::max(*line.idle_since, line.told);
  for (const SharedKey& key : shared_of(route)) allowed = std::max(allowed, shared_[key].told);
  if (now <= allowed || leaves_places(line, route, now)) return;
  throw Failure("limit_unused", "line " + std::to_string(id.value) + ", " +
                                    std::to_string((now - allowed).us) + " us" + explain());
}

}  // namespace einlass::simulation
