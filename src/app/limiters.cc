#include "app/limiters.h"

#include <algorithm>

#include "app/extract.h"
#include "app/wiring.h"

namespace einlass::app {

Limiters::Limiters(boost::asio::io_context& io, const config::Config& config, const RunId& run,
                   core::Events& events, const Notify& notify, core::Gate& gate)
    : config_(config), gate_(gate), memory_(events) {
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

void Limiters::ask(const core::Ask& ask, Instant now) {
  if (in_redis(ask.line)) return redis_->ask(ask);
  memory_.ask(ask, now);
}

void Limiters::release(const core::Release& release, Instant now) {
  if (in_redis(release.line)) return redis_->release(release);
  memory_.release(release, now);
}

void Limiters::ended(const core::Ended& ended, Instant now) {
  if (!in_redis(ended.line)) memory_.ended(ended, now);
}

void Limiters::forget(core::LineId line) {
  const bool limited = !config_.routes[table_.route_of(line).value].limits.empty();
  if (limited && in_redis(line)) {
    redis_->forget_line(line);
  } else if (limited) {
    memory_.forget_line(line);
  }
  table_.forget(line);
}

void Limiters::flush() {
  if (redis_) redis_->flush();
}

}  // namespace einlass::app
