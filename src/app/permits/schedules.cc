#include "app/permits/schedules.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace einlass::app {

Schedules::Schedules(boost::asio::io_context& io, const config::Config& config, LimitValues& values,
                     std::function<Instant()> wall, Notify notify)
    : values_(values),
      wall_(std::move(wall)),
      notify_(std::move(notify)),
      told_(config.limits.size()),
      timer_(io) {
  reconfigure(config);
}

void Schedules::reconfigure(const config::Config& config) {
  scheduled_.clear();
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const config::Limit& limit = config.limits[i];
    if (limit.schedule.empty()) {
      values_.unschedule(i);
      told_[i].clear();
    } else {
      scheduled_.push_back({i, &limit, config::TimeZone(limit.time_zone)});
    }
  }
  looked_ = kNever;
  look();
}

void Schedules::look() {
  const Instant now = wall_();
  const bool went_back = now < std::exchange(looked_, now);
  Instant next = now + kLook;
  for (Scheduled& one : scheduled_) {
    if (went_back || one.now.until <= now) put_in_force(one, now);
    next = std::min(next, one.now.until);
  }
  timer_.expires_after(std::chrono::microseconds((next - now).us));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) look();
  });
}

void Schedules::put_in_force(Scheduled& one, Instant now) {
  const std::vector<config::ScheduledValue>& schedule = one.from->schedule;
  one.now = span_at(schedule, one.zone, now);
  const config::ScheduledValue* span = one.now.index ? &schedule[*one.now.index] : nullptr;
  const std::string name = span != nullptr ? span->name : "";
  values_.schedule(one.limit, name, one.now.until,
                   span != nullptr ? std::optional(span->value) : std::nullopt);
  if (name == std::exchange(told_[one.limit], name)) return;
  notify_({Severity::info, "limit_scheduled",
           "limit " + one.from->limit.name + ": " +
               (name.empty() ? "its own numbers hold again" : "the numbers of " + name + " hold")});
}

}  // namespace einlass::app
