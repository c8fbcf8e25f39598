#include "app/permits/stand_in.h"

#include <algorithm>
#include <string>
#include <variant>

#include "app/setup/wiring.h"
#include "core/lines/line.h"
#include "units/check.h"

namespace einlass::app {
namespace {

// A share may be too small for what the whole limit could pay: that record waits for the limiter.
constexpr Duration kAskAgainAfterNever = Duration::seconds(1);

}  // namespace

StandIn::StandIn(const config::Config& config, ProcessLimits& limits, core::Events& events)
    : events_(events),
      limits_(limits),
      shares_(events, limits.shares()),
      routes_(config.routes.size()),
      due_at_once_(core::kMostPerAsk) {
  read_routes(config);
}

void StandIn::read_routes(const config::Config& config) {
  instances_ = config.instances;
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    Shared& shared = routes_[i];
    shared = {};
    if (!may_stand_in(config, config.routes[i])) continue;
    for (std::size_t index = 0; index < config.routes[i].limits.size(); ++index) {
      const config::Limit& limit = limit_of(config, config.routes[i], index);
      if (limit.on_outage == config::OnOutage::pass) continue;
      shared.parts.push_back({&limit, config.routes[i].limits[index],
                              core::LimitIndex{static_cast<std::uint8_t>(index)}});
      shared.cost_varies |= limit.limit.cost_from_record;
    }
  }
}

// A line keeps its limits until it asks again: its attempts under way are still to end there.
void StandIn::reconfigure(const config::Config& config) {
  read_routes(config);
  ++policies_;
  last_old_ask_ = last_ask_;
}

void StandIn::bring_up_to_date(core::LineId line, const Shared& shared,
                               const std::vector<std::string_view>& keys) {
  if (is_up_to_date(line)) return;
  forget(line);
  scratch_.clear();
  for (const Part& part : shared.parts) scratch_.push_back(bucket_of(part, keys[part.at.value]));
  shares_.add_line(line, scratch_);
  if (line.value >= known_.size()) known_.resize(line.value + 1);
  known_[line.value] = policies_;
}

// What has other numbers, as a key or for now, has its part of these.
memory::Bucket StandIn::bucket_of(const Part& part, std::string_view key) const {
  memory::Bucket bucket{limits_.share(part.number), std::string(key)};
  if (const LimitValues::Found others = limits_.values().find(part.number, key)) {
    bucket.value = std::make_shared<const limits::Limit>(
        local_share_of(*part.whole, others->parameters, instances_));
  }
  return bucket;
}

void StandIn::ask(const core::Ask& ask, core::RouteId route,
                  const std::vector<std::string_view>& keys, Instant now) {
  const Shared& shared = routes_[route.value];
  last_ask_ = std::max(last_ask_, ask.ask);
  if (shared.parts.empty()) return pass(ask, now);
  bring_up_to_date(ask.line, shared, keys);
  shares_.ask(ask, now);
  auto& answer = std::get<core::PermitsAnswered>(events_.back());
  answer.stand_in = true;
  answer.reason = shared.parts[answer.reason.value].at;
  const bool never = answer.due.empty() && !answer.retry;
  if (never && !shared.cost_varies) answer.retry = kAskAgainAfterNever;
}

void StandIn::pass(const core::Ask& ask, Instant now) {
  const auto granted = static_cast<std::size_t>(ask.max.value);
  CHECK(granted <= due_at_once_.size());
  events_.push_back(core::PermitsAnswered{.line = ask.line,
                                          .ask = ask.ask,
                                          .due = std::span(due_at_once_).first(granted),
                                          .limiter_now = now,
                                          .stand_in = true});
}

// Where a limit passes, or did before the reload, this would bring it what was never taken.
void StandIn::release(const core::Release& release, Instant now) {
  if (!is_up_to_date(release.line) || release.permit.ask <= last_old_ask_) {
    return ended({release.line, release.permit}, now);
  }
  shares_.release(release, now);
}

void StandIn::ended(const core::Ended& ended, Instant now) {
  if (knows(ended.line)) shares_.ended(ended, now);
}

void StandIn::forget(core::LineId line) {
  if (!knows(line)) return;
  shares_.forget_line(line);
  known_[line.value] = 0;
}

}  // namespace einlass::app
