#include "core/gate/gate.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "units/check.h"

namespace einlass::core {
namespace {

// A record that no limit could ever pay: the limits may be changed meanwhile.
constexpr Duration kAskAgainForNever = Duration::seconds(30);

// What records inside, lines and stores rely on.
bool same_shape(const RouteOptions& a, const RouteOptions& b) {
  return a.target == b.target && a.order == b.order && a.limit_count == b.limit_count &&
         a.keyless_limits == b.keyless_limits && a.limits == b.limits &&
         a.held_limits == b.held_limits && a.cost_varies == b.cost_varies &&
         a.dead_letter == b.dead_letter && a.share == b.share && a.fleet_limits == b.fleet_limits;
}

}  // namespace

Gate::Gate(const GateOptions& options)
    : options_(options),
      stats_(options.routes.size()),
      records_(options.routes.size()),
      intake_(options_),
      delivery_(options_, records_, deadlines_),
      admission_(options_, records_, delivery_, deadlines_, stats_),
      commits_(options_, records_, intake_, delivery_, deadlines_) {
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const RouteOptions& route = options.routes[i];
    CHECK(route.target.value < options.targets.size());
    CHECK(route.limit_count == 0 || route.store.value < options.stores);
    CHECK(route.share.levels <= kMostLevels);
    stats_[i].limits.resize(route.limit_count);
    stats_[i].share_permits.resize(route.share.levels * (kNamedFlows + 1));
  }
}

void Gate::handle(const Event& event, Instant now, Commands& commands) {
  CHECK(now >= now_);
  now_ = now;
  expire_due(now, commands);
  std::visit([&](const auto& it) { on(it, now, commands); }, event);
  serve_targets(now, commands);
}

void Gate::reconfigure(const GateOptions& options, Instant now, Commands& commands) {
  CHECK(now >= now_);
  CHECK(options.stores == options_.stores);
  CHECK(options.targets.size() == options_.targets.size());
  CHECK(options.routes.size() == options_.routes.size());
  for (std::size_t i = 0; i < options.targets.size(); ++i) {
    CHECK(options.targets[i].max_in_flight > 0);
    CHECK(options.targets[i].retry_share == options_.targets[i].retry_share);
    CHECK((options.targets[i].batch.records > 1) == (options_.targets[i].batch.records > 1));
    CHECK(options.targets[i].transactional == options_.targets[i].transactional);
  }
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    CHECK(same_shape(options.routes[i], options_.routes[i]));
    // What was counted under one name must not go on under another.
    if (options.routes[i].flow_names == options_.routes[i].flow_names) continue;
    forget_flow_names(RouteId{static_cast<std::uint16_t>(i)});
  }
  now_ = now;
  expire_due(now, commands);
  admission_.wait_for_stores_no_more();  // A route may have another store from now on.
  options_ = options;
  delivery_.look_again(now);
  intake_.look_again(commands);
  admission_.look_again(now, commands);
  commits_.arm(now);
  serve_targets(now, commands);
}

// The records inside say of which of the old names they are: they count among the others.
void Gate::forget_flow_names(RouteId route) {
  std::ranges::fill(stats_[route.value].share_permits, 0);
  for (Slot slot = 0; slot < records_.slots(); ++slot) {
    if (records_.in(slot) != nullptr && records_[slot].route == route) {
      records_[slot].flow.name = kNamedFlows;
    }
  }
}

// Records that go together leave here alone.
void Gate::serve_targets(Instant now, Commands& commands) {
  const std::size_t before = commands.size();
  admission_.serve_waiting(now, commands);
  commits_.begin_transactions(before, commands);
}

// ---- what happens to permits ----

void Gate::on(const PermitsAnswered& event, Instant now, Commands& commands) {
  const Slot hopeless = admission_.answered(event, now, commands);
  if (hopeless == kNoSlot) return;
  Record& record = records_[hopeless];
  const RouteOptions& route = options_.routes[record.route.value];
  if (route.dead_letter && !event.stand_in) {
    admission_.withdraw(record);
    dead_letter(record, DeadLetterReason::never, now, commands);
  } else if (route.cost_varies) {
    set_aside(record, now);
  }
  admission_.serve(event.line, now, commands);
}

// Others of its line may cost less: it waits elsewhere, and only its lane waits with it.
void Gate::set_aside(Record& record, Instant now) {
  admission_.withdraw(record);
  records_.move(record, RecordState::backing_off);
  record.never = true;
  admission_.set_aside(record);
  ++stats_[record.route.value].never;
  deadlines_.set({Alarm::Kind::record, record.id.slot}, now + kAskAgainForNever);
}

void Gate::hope_again(Record& record) {
  if (!std::exchange(record.never, false)) return;
  admission_.hope_again(record);
  --stats_[record.route.value].never;
}

void Gate::on(const PermitsFailed& event, Instant now, Commands& commands) {
  admission_.failed(event, now, commands);
}

void Gate::on(const LimitsChanged& event, Instant now, Commands& commands) {
  admission_.limits_changed(event, now, commands);
}

void Gate::on(const StoreDown& event, Instant, Commands&) { admission_.store_down(event.store); }

void Gate::on(const StoreUp& event, Instant now, Commands& commands) {
  admission_.store_up(event.store, now, commands);
}

void Gate::on(const RoutePaused& event, Instant now, Commands& commands) {
  intake_.pause(event.route, event.paused, commands);
  admission_.pause(event.route, event.paused, now, commands);
}

void Gate::on(const LinePaused& event, Instant now, Commands& commands) {
  admission_.pause(event.line, event.paused, now, commands);
}

void Gate::on(const PartitionPaused& event, Instant, Commands& commands) {
  intake_.pause(event.partition, event.paused, commands);
}

// ---- what happens to targets, and time ----

void Gate::on(const TargetHold& event, Instant now, Commands&) {
  CHECK(event.target.value < options_.targets.size());
  delivery_.hold(event.target, event.length, now);
}

void Gate::on(const TargetReady& event, Instant, Commands&) {
  CHECK(event.target.value < options_.targets.size());
  delivery_.ready(event.target);
  admission_.touch(event.target);
}

void Gate::on(const TimePassed&, Instant now, Commands& commands) {
  while (const auto alarm = deadlines_.pop_due(now)) ring(*alarm, now, commands);
}

void Gate::ring(Alarm alarm, Instant now, Commands& commands) {
  switch (alarm.kind) {
    case Alarm::Kind::record: {
      Record& record = records_[alarm.index];
      CHECK(record.state == RecordState::backing_off || record.state == RecordState::early);
      if (record.doom) return dead_letter(record, *record.doom, now, commands);
      return make_ready(alarm.index, now, commands);
    }
    case Alarm::Kind::expiry:
      return expire(records_[alarm.index], now, commands);
    case Alarm::Kind::line:
      return admission_.serve(LineId{alarm.index}, now, commands);
    case Alarm::Kind::target:
    case Alarm::Kind::target_queue:
      return admission_.touch(TargetId{static_cast<std::uint16_t>(alarm.index)});
    case Alarm::Kind::limit:
      return admission_.touch_limit(alarm.index);
    case Alarm::Kind::partition:
      return settle(PartitionId{alarm.index}, now, commands);
    case Alarm::Kind::commit:
      return commits_.send(now, commands);
  }
}

}  // namespace einlass::core
