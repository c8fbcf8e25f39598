#include "conformance/gate_limiter.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "limits/permits/state.h"

namespace einlass::conformance {

MemoryLimiter::MemoryLimiter(memory::Table& table, std::span<const limits::Limit> limits)
    : store_(events_, table) {
  std::vector<memory::Bucket> buckets;
  for (const limits::Limit& limit : limits) buckets.push_back({&limit, ""});
  store_.add_line(core::LineId{0}, buckets);
}

core::PermitsAnswered MemoryLimiter::ask(const core::Ask& ask, Instant now) {
  events_.clear();
  store_.ask(ask, now);
  return std::get<core::PermitsAnswered>(events_.back());
}

void MemoryLimiter::release(const core::Release& release, Instant now) {
  store_.release(release, now);
}

void MemoryLimiter::ended(const core::Ended& ended, Instant now) { store_.ended(ended, now); }

RedisLimiter::RedisLimiter(RedisSide& side, std::uint64_t gate,
                           std::span<const limits::Limit> limits)
    : side_(side), gate_(gate), ahead_(limits::most_ahead(limits.front().parameters)) {
  for (const limits::Limit& limit : limits) {
    ahead_ = std::min(ahead_, limits::most_ahead(limit.parameters));
    counts_held_ |= std::holds_alternative<limits::ConcurrencyParameters>(limit.parameters);
  }
}

core::PermitsAnswered RedisLimiter::ask(const core::Ask& ask, Instant now) {
  const Asked asked{ask.min.value, ask.max.value, ask.horizon.us};
  const Result result = side_.acquire(asked, number_of(ask.ask), now.us);
  due_.clear();
  for (const std::int64_t us : result.due) due_.push_back(Duration{us});
  const auto reason = static_cast<std::uint8_t>(std::max<std::int64_t>(0, result.reason));
  return {.line = ask.line,
          .ask = ask.ask,
          .due = due_,
          .limiter_now = now,
          .retry = result.retry < 0 ? std::nullopt : std::optional(Duration{result.retry}),
          .reason = core::LimitIndex{reason},
          .ahead = std::min(ask.horizon, ahead_)};
}

limits::Returned RedisLimiter::returned(const core::Permit& permit) const {
  return {limits::permit_id(prefix(number_of(permit.ask)), permit.index), permit.stamp};
}

void RedisLimiter::release(const core::Release& release, Instant now) {
  const limits::Returned permit = returned(release.permit);
  side_.release({&permit, 1}, now.us, Mode::unused);
}

void RedisLimiter::ended(const core::Ended& ended, Instant now) {
  if (!counts_held_) return;
  const limits::Returned permit = returned(ended.permit);
  side_.release({&permit, 1}, now.us, Mode::ended);
}

}  // namespace einlass::conformance
