#include "app/permits/limiters.h"

#include <algorithm>
#include <utility>

#include "adapters/redis/calls/line.h"
#include "app/record/extract.h"
#include "app/setup/wiring.h"
#include "limits/permits/state.h"
#include "limits/rates/token_bucket.h"

namespace einlass::app {
namespace {

// What stands instead of a longer key is the same wherever it is made.
static_assert(kLongestKey == redis::kMaxKeyBytes);

// Half of what a token bucket allows, for the limiter's clock and the way there count too.
constexpr Duration kGiveBackWithin = limits::kGiveBackWithin / 2;

}  // namespace

Limiters::Limiters(boost::asio::io_context& io, const config::Config& config, ProcessLimits& shared,
                   const RunId& run, core::Events& events, const Notify& notify, core::Gate& gate)
    : gate_(gate),
      events_(events),
      shared_(shared),
      values_(io, shared.values(), table_),
      memory_(events, shared.memory()),
      stand_in_(config, shared, events) {
  if (uses_redis(config)) {
    redis_ = std::make_unique<redis::Store>(io, redis_options(config, run), events, notify,
                                            [this](Duration took) { redis_calls_.observe(took); });
  }
  routes_.resize(config.routes.size());
  read_limits(config);
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const std::vector<std::string_view> no_keys(routes_[i].limits.size());
    const core::RouteId id{static_cast<std::uint16_t>(i)};
    routes_[i].only_line = find_or_add(id, no_keys, true);
  }
}

void Limiters::read_limits(const config::Config& config) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const config::Route& from = config.routes[i];
    Route& route = routes_[i];
    route.limits.clear();
    route.in_memory.clear();
    route.indexes.clear();
    for (std::size_t index = 0; index < from.limits.size(); ++index) {
      route.limits.push_back(&limit_of(config, from, index));
      route.in_memory.push_back(shared_.limit(from.limits[index]));
      route.late_is_lost |= !limits::traits(route.limits.back()->limit.parameters).known_one_by_one;
      route.indexes.push_back(from.limits[index]);
      const bool has_key = route.limits.back()->key.kind != config::KeySource::Kind::none;
      route.keyed |= has_key;
      if (!has_key) route.without_key |= 1u << index;
    }
    route.fields = RecordFields(route.limits);
    route.may_stand_in = may_stand_in(config, from);
  }
}

void Limiters::reconfigure(const config::Config& config) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    for (std::size_t index = 0; index < routes_[i].limits.size(); ++index) {
      const limits::Limit& now = limit_of(config, config.routes[i], index).limit;
      if (now.cost != routes_[i].limits[index]->limit.cost) routes_[i].last_old_cost = last_ask_;
    }
  }
  read_limits(config);
  stand_in_.reconfigure(config);
  ++reloads_;
}

bool Limiters::is_paused(const PausedKeys* paused, const Route& route,
                         std::span<const std::string_view> keys) {
  for (std::size_t i = 0; paused != nullptr && i < keys.size(); ++i) {
    const auto& of_limit = (*paused)[route.indexes[i]];
    if (!of_limit.empty() && of_limit.contains(keys[i])) return true;
  }
  return false;
}

void Limiters::pause(const PausedKeys& paused,
                     const std::function<void(core::LineId line, bool paused)>& changed) {
  const auto names_nobody = [](const auto& keys) { return keys.empty(); };
  // Then no line need be looked at, of which there may be very many.
  const bool same = paused_ != nullptr ? *paused_ == paused
                                       : std::all_of(paused.begin(), paused.end(), names_nobody);
  if (same) {
    paused_ = &paused;
    return;
  }
  table_.for_each([&](core::LineId line, core::RouteId id) {
    table_.read_keys(line, keys_);
    const Route& route = routes_[id.value];
    const bool now = is_paused(&paused, route, keys_);
    if (now != is_paused(paused_, route, keys_)) changed(line, now);
  });
  paused_ = &paused;
}

LineAndCost Limiters::line_of(const StoredRecord& record) {
  Route& route = routes_[record.route.value];
  if (!route.fields.any()) return {.line = route.only_line, .bad = {}};
  const Extracted read = route.fields.read(record);
  return {.line = route.keyed ? find_or_add(record.route, read.keys, false) : route.only_line,
          .cost = read.cost,
          .bad = read.bad ? bad_key_text(read) : std::string()};
}

core::LineId Limiters::find_or_add(core::RouteId id, std::span<const std::string_view> keys,
                                   bool keep) {
  const LineTable::Found found = table_.find_or_add(id, keys);
  if (!found.is_new) return found.line;
  if (found.line.value >= known_since_.size()) known_since_.resize(found.line.value + 1);
  known_since_[found.line.value] = reloads_;
  const Route& route = routes_[id.value];
  gate_.add_line(found.line, id, keep, is_paused(paused_, route, keys));
  if (route.limits.empty()) return found.line;
  const auto values = values_.read(found.line, route.indexes, keys);
  if (in_redis(route)) {
    redis_->add_line(found.line, redis_buckets(route.limits, keys, values));
  } else {
    memory_.add_line(found.line, in_memory_buckets(route, keys, values));
  }
  return found.line;
}

// Good until the next call: a new tenant is no reason to allocate.
std::span<const memory::Bucket> Limiters::in_memory_buckets(
    const Route& route, std::span<const std::string_view> keys,
    std::span<const LineValues::Found> values) {
  buckets_.resize(route.in_memory.size());
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i].limit = route.in_memory[i];
    buckets_[i].key = keys[i];
    buckets_[i].value = values.empty() ? nullptr : values[i];
  }
  return buckets_;
}

// All limits of a route are in one store.
bool Limiters::in_redis(const Route& route) {
  return !route.limits.empty() && route.limits[0]->store == config::Store::redis;
}

// A call that failed may be a node that is down, of several: the gate asks again, and is answered.
bool Limiters::stands_in(const core::Ask& ask, const Route& route) const {
  return route.may_stand_in && (redis_down_ || ask.again);
}

void Limiters::redis_down(bool down) {
  redis_down_ = down;
  next_anew_ = 0;
}

// What a line was told of its next permit was the word of Redis, or of what stood in for it: who
// answers from here on may grant it now.
void Limiters::tell_of_redis() {
  if (next_anew_ == kNoneAnew) return;
  const std::uint32_t end = std::min(table_.slots(), next_anew_ + LineValues::kLooksPerTurn);
  while (next_anew_ < end) {
    const core::LineId line{next_anew_++};
    if (!table_.is_known(line) || !route_of(line).may_stand_in) continue;
    events_.push_back(core::LimitsChanged{line, route_of(line).without_key != 0});
  }
  if (next_anew_ >= table_.slots()) next_anew_ = kNoneAnew;
}

// At the line's first ask after a reload, or after other numbers have come into force for it: there
// may be many lines that never ask again.
void Limiters::bring_up_to_date(core::LineId line, const Route& route) {
  if (std::exchange(known_since_[line.value], reloads_) == reloads_) return;
  table_.read_keys(line, keys_);
  const auto values = values_.read(line, route.indexes, keys_);
  if (in_redis(route)) {
    redis_->change_line(line, redis_buckets(route.limits, keys_, values));
    stand_in_.outdate(line);
  } else {
    memory_.change_line(line, in_memory_buckets(route, keys_, values));
  }
}

// Those for which other numbers hold now are brought up to date when they ask, which is at once.
void Limiters::look_at_values() {
  const auto limits_of = [this](core::RouteId route) {
    return std::span<const std::size_t>(routes_[route.value].indexes);
  };
  values_.walk(limits_of, [this](core::LineId line, std::uint32_t which) {
    known_since_[line.value] = 0;
    events_.push_back(core::LimitsChanged{line, (which & route_of(line).without_key) != 0});
  });
  tell_of_redis();
}

void Limiters::ask(const core::Ask& ask, Instant now) {
  const Route& route = route_of(ask.line);
  last_ask_ = std::max(last_ask_, ask.ask);
  bring_up_to_date(ask.line, route);
  if (!in_redis(route)) return memory_.ask(ask, now);
  if (!stands_in(ask, route)) return redis_->ask(ask);
  if (ask.again) redis_->give_up(ask);
  table_.read_keys(ask.line, keys_);
  stand_in_.ask(ask, table_.route_of(ask.line), keys_, now);
}

// A permit that cost something else is not given back, for it would bring what the new one costs,
// nor one that comes too late for some limit. But its place among the attempts under way is free.
void Limiters::release(const core::Release& release, Instant now) {
  const Route& route = route_of(release.line);
  const bool late = route.late_is_lost && release.age > kGiveBackWithin;
  if (late || release.permit.ask <= route.last_old_cost) {
    return ended({release.line, release.permit}, now);
  }
  if (release.permit.stand_in) return stand_in_.release(release, now);
  if (in_redis(route)) return redis_->release(release);
  memory_.release(release, now);
}

void Limiters::ended(const core::Ended& ended, Instant now) {
  if (ended.permit.stand_in) return stand_in_.ended(ended, now);
  if (in_redis(route_of(ended.line))) return redis_->ended(ended);
  memory_.ended(ended, now);
}

void Limiters::forget(core::LineId line) {
  const Route& route = route_of(line);
  if (in_redis(route)) {
    redis_->forget_line(line);
    stand_in_.forget(line);
  } else if (!route.limits.empty()) {
    memory_.forget_line(line);
  }
  values_.forget(line);
  table_.forget(line);
}

const limits::Parameters& Limiters::in_force(core::LineId line, std::size_t index) const {
  const auto values = values_.of(line);
  if (!values.empty() && values[index]) return values[index]->parameters;
  return route_of(line).limits[index]->limit.parameters;
}

std::optional<LimitValues::Scheduled> Limiters::scheduled(core::LineId line,
                                                          std::size_t index) const {
  const auto values = values_.of(line);
  if (values.empty() || !values[index]) return std::nullopt;
  auto now = scheduled(route_of(line).indexes[index]);
  return now && now->value == values[index] ? std::move(now) : std::nullopt;
}

void Limiters::hold(core::TargetId target, Duration length) {
  if (redis_) redis_->hold(target, length);
}

void Limiters::flush(Instant now) {
  memory_.sweep(now);
  stand_in_.sweep(now);
  if (redis_) redis_->flush();
}

}  // namespace einlass::app
