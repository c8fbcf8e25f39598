#include "limits/windows/sliding_log.h"

namespace einlass::limits {
namespace {

// Entries that are younger than `apart` at `now`.
std::int64_t within(const SlidingLog& log, Duration apart, Instant now) {
  return static_cast<std::int64_t>(log.entries.size() - log.entries.count_until(now - apart));
}

}  // namespace

void SlidingLogLook::space(const SlidingLogParameters& p) {
  group_of_one_ = group_of(p.limit, p.window, p.even, p.burst);
  group_ = {for_cost(group_of_one_, cost_)};
  burst_ = {burst_of(p.limit, p.window, p.even, p.burst)};
}

void SlidingLogLook::next(std::span<const Permits> costs) {
  if (costs.size() > 1) units_ += costs[costs.size() - 2].value;
  costs_ = costs;
  cost_ = costs.back().value;
  static_cast<Spacing&>(group_) = for_cost(group_of_one_, cost_);
}

// Which of the permits that this ask has booked has that unit of all that they have.
std::size_t SlidingLogLook::booked_with(std::int64_t unit, const Rule& rule) const {
  if (costs_.empty()) return static_cast<std::size_t>(unit / cost_);
  while (unit < rule.before) rule.before -= costs_[--rule.permit].value;
  while (unit >= rule.before + costs_[rule.permit].value) {
    rule.before += costs_[rule.permit++].value;
  }
  return rule.permit;
}

SlidingLogLook::Lap SlidingLogLook::frees_behind(const Rule& rule,
                                                 std::span<const Duration> booked,
                                                 std::int64_t units) const {
  const std::int64_t laps = (units - 1) / rule.units;
  const Duration waits = rule.apart * laps;
  const std::int64_t rank =
      size_ + static_cast<std::int64_t>(booked.size()) * cost_ + units - laps * rule.units -
      rule.units - 1;
  Instant at = after(booked);
  if (rank >= size_) {
    at = std::max(at, now_ + booked[booked_with(rank - size_, rule)] + rule.apart);
  } else if (rank >= 0) {
    at = std::max(at, log_.entries[static_cast<std::size_t>(rank)].at + rule.apart);
  }
  return {at + waits, waits};
}

SlidingLogLook::LapsBehind SlidingLogLook::all_behind(std::span<const Duration> booked,
                                                      std::int64_t units) const {
  const Lap free = frees_behind(whole_, booked, units);
  Rule group{group_of_one_};
  return {burst_.units > 0 ? std::max(free, frees_behind(burst_, booked, units)) : free, free,
          group.units > 0 ? std::max(free, frees_behind(group, booked, units)) : free};
}

Instant SlidingLogLook::behind(std::span<const Duration> booked, std::int64_t units) const {
  if (units == 0) return reach(booked, 1);
  const LapsBehind laps = all_behind(booked, units + cost_);
  return laps.at_once.at <= now_ ? laps.free.at : laps.later.at;
}

std::optional<Instant> SlidingLogLook::soonest_behind(std::span<const Duration> booked,
                                                      std::int64_t units, Duration horizon) const {
  if (units == 0) return soonest(booked, 1, horizon);
  const LapsBehind laps = all_behind(booked, units + cost_);
  std::optional<Instant> at;
  if (laps.at_once.laps == Duration{}) at = laps.at_once.at;
  if (laps.later.laps > horizon) return at;
  const Instant later = laps.later.at - horizon;
  return at ? std::min(*at, later) : later;
}

void SlidingLogLook::pay(std::span<const Duration> booked, const IdPrefix& prefix) {
  // Out with what can never matter again, first: so the ring need not grow beyond the limit.
  log_.last = now_ + booked.back();
  log_.entries.pop_front(log_.entries.count_until(log_.last - whole_.apart));
  for (std::size_t i = 0; i < booked.size(); ++i) {
    const Instant at = now_ + booked[i];
    if (at <= log_.last - whole_.apart) continue;
    const PermitId id = permit_id(prefix, static_cast<std::uint16_t>(i));
    const std::int64_t units = costs_.empty() ? cost_ : costs_[i].value;
    for (std::int64_t unit = 0; unit < units; ++unit) log_.entries.push_back({at, id});
  }
}

Permits peek(const SlidingLogParameters& parameters, const SlidingLog& log, Instant now) {
  if (log.last > now) return {0};  // Whatever is free is for later.
  const auto& p = parameters;
  std::int64_t free = p.limit.value - within(log, p.window, now);
  const Spacing burst = burst_of(p.limit, p.window, p.even, p.burst);
  if (burst.units > 0) {
    const Spacing group = group_of(p.limit, p.window, p.even, p.burst);
    free = std::min(free, std::max(burst.units - within(log, burst.apart, now),
                                   group.units - within(log, group.apart, now)));
  }
  return {std::max<std::int64_t>(0, free)};
}

std::int64_t give_back(const SlidingLogParameters& parameters, SlidingLog& log, Permits,
                       std::span<const Returned> returned, Instant now) {
  const Instant latest = std::max(log.last, now);
  std::int64_t found = 0;
  for (const Returned& permit : returned) {
    const std::size_t oldest = log.entries.count_until(latest - parameters.window);
    found += log.entries.erase(permit.id, oldest) ? 1 : 0;
  }
  return found;
}

bool is_fresh(const SlidingLogParameters& parameters, const SlidingLog& log, Instant now) {
  if (log.last > now) return false;
  return log.entries.count_until(now - parameters.window) == log.entries.size();
}

}  // namespace einlass::limits
