#include "app/limiters.h"

#include <algorithm>

#include "app/extract.h"
#include "app/wiring.h"

namespace einlass::app {

Limiters::Limiters(boost::asio::io_context& io, const config::Config& config, const RunId& run,
                   core::Events& events, const Notify& notify, core::Gate& gate)
    : config_(config), gate_(gate), memory_(events), stand_in_(config, events) {
  if (uses_redis(config)) {
    redis_ = std::make_unique<redis::Store>(io, redis_options(config, run), events, notify,
                                            [this](Duration took) { redis_calls_.observe(took); });
  }
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    const config::Route& route = config.routes[i];
    const core::RouteId id{static_cast<std::uint16_t>(i)};
    bool keyed = false;
    for (std::size_t place = 0; place < route.limits.size(); ++place) {
      keyed |= limit_of(config, route, place).key.kind != config::KeySource::Kind::none;
    }
    keyed_.push_back(keyed);
    may_stand_in_.push_back(may_stand_in(config, route));
    scratch_.resize(std::max(scratch_.size(), route.limits.size()));
    keys_.assign(route.limits.size(), {});
    const core::LineId line = table_.find_or_add(id, keys_).line;
    only_line_.push_back(line);
    add(id, line, true);
  }
}

core::LineId Limiters::line_of(core::RouteId route, const kafka::Message& message) {
  if (!keyed_[route.value]) return only_line_[route.value];
  const config::Route& options = config_.routes[route.value];
  keys_.clear();
  for (std::size_t place = 0; place < options.limits.size(); ++place) {
    keys_.push_back(bucket_key(limit_of(config_, options, place).key, message, scratch_[place]));
  }
  const LineTable::Found found = table_.find_or_add(route, keys_);
  if (found.is_new) add(route, found.line, false);
  return found.line;
}

void Limiters::add(core::RouteId route, core::LineId line, bool keep) {
  gate_.add_line(line, route, keep);
  const config::Route& options = config_.routes[route.value];
  if (options.limits.empty()) return;
  if (limit_of(config_, options, 0).store == config::Store::redis) {
    std::vector<redis::Bucket> buckets;
    for (std::size_t i = 0; i < options.limits.size(); ++i) {
      buckets.push_back({&limit_of(config_, options, i).limit, std::string(keys_[i])});
    }
    redis_->add_line(line, buckets);
  } else {
    std::vector<memory::Bucket> buckets;
    for (std::size_t i = 0; i < options.limits.size(); ++i) {
      buckets.push_back({&limit_of(config_, options, i).limit, std::string(keys_[i])});
    }
    memory_.add_line(line, buckets);
  }
}

bool Limiters::in_redis(core::LineId line) const {
  const config::Route& route = config_.routes[table_.route_of(line).value];
  return limit_of(config_, route, 0).store == config::Store::redis;
}

// A call that failed may be a node that is down, of several: the gate asks again, and is answered.
bool Limiters::stands_in(const core::Ask& ask, core::RouteId route) const {
  return may_stand_in_[route.value] && (redis_down_ || ask.again);
}

void Limiters::ask(const core::Ask& ask, Instant now) {
  const core::RouteId route = table_.route_of(ask.line);
  if (!in_redis(ask.line)) return memory_.ask(ask, now);
  if (!stands_in(ask, route)) return redis_->ask(ask);
  table_.read_keys(ask.line, keys_);
  stand_in_.ask(ask, route, keys_, now);
}

void Limiters::release(const core::Release& release, Instant now) {
  if (release.permit.stand_in) return stand_in_.release(release, now);
  if (in_redis(release.line)) return redis_->release(release);
  memory_.release(release, now);
}

void Limiters::ended(const core::Ended& ended, Instant now) {
  if (ended.permit.stand_in) return stand_in_.ended(ended, now);
  if (in_redis(ended.line)) return;  // There the lease ends.
  memory_.ended(ended, now);
}

void Limiters::forget(core::LineId line) {
  const bool limited = !config_.routes[table_.route_of(line).value].limits.empty();
  if (limited && in_redis(line)) {
    redis_->forget_line(line);
    stand_in_.forget(line);
  } else if (limited) {
    memory_.forget_line(line);
  }
  table_.forget(line);
}

void Limiters::flush() {
  if (redis_) redis_->flush();
}

}  // namespace einlass::app
