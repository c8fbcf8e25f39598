#include "limits/rates/gcra.h"

#include <algorithm>

namespace einlass::limits {
namespace {

// From one instant to a later exact one, in units of 1/permits us; what is longer than that is
// counted as kExactBelow.
std::int64_t units_between(Instant from, const ExactInstant& to, std::int64_t permits) {
  const __int128 whole = static_cast<__int128>(to.at.us - from.us) * permits;
  return whole > kExactBelow ? kExactBelow : static_cast<std::int64_t>(whole) - to.frac;
}

// What was spent under another rate, in the units of this one, rounded up.
std::int64_t converted(std::int64_t spent, std::int64_t from, std::int64_t to) {
  const __int128 product = static_cast<__int128>(spent) * to;
  const __int128 rounded = product / from + (product % from > 0 ? 1 : 0);
  return static_cast<std::int64_t>(std::min<__int128>(rounded, kExactBelow));
}

// REQUIRES: a rate above 0.
ExactInstant arrival_at(const GcraParameters& parameters, const Gcra& gcra, Instant now) {
  if (gcra.arrival.at <= now) return {now};
  if (gcra.rate == parameters.rate) return gcra.arrival;
  const std::int64_t spent = units_between(now, gcra.arrival, gcra.rate.permits);
  const Rate rate = parameters.rate;
  return ExactInstant{now}.after(converted(spent, gcra.rate.micros, rate.micros), rate.permits);
}

}  // namespace

Instant mixed_until(const GcraParameters& parameters, const Gcra& gcra, Instant now) {
  const bool other = gcra.rate != parameters.rate;
  const Instant too_old = gcra.arrival.at + kGiveBackWithin;
  const Instant until = other ? std::max(gcra.mixed_until, too_old) : gcra.mixed_until;
  return until > now ? until : Instant{};
}

void convert(const GcraParameters& parameters, Gcra& gcra, Instant now) {
  if (gcra.rate == parameters.rate || parameters.rate.permits == 0 || gcra.arrival.at <= now) {
    return;
  }
  gcra = {arrival_at(parameters, gcra, now), parameters.rate, mixed_until(parameters, gcra, now)};
}

Permits peek(const GcraParameters& parameters, const Gcra& gcra, Instant now) {
  const Rate rate = parameters.rate;
  if (rate.permits == 0) return {0};
  const ExactInstant arrival = arrival_at(parameters, gcra, now);
  const std::int64_t left =
      parameters.burst.value * rate.micros - units_between(now, arrival, rate.permits);
  return {std::max<std::int64_t>(0, left) / rate.micros};
}

std::int64_t give_back(const GcraParameters& parameters, Gcra& gcra, Permits cost,
                       std::span<const Returned> returned, Instant now) {
  const Rate rate = parameters.rate;
  if (rate.permits == 0 || gcra.arrival.at <= now) return 0;
  if (gcra.mixed_until > now || gcra.rate != rate) return 0;
  const ExactInstant& arrival = gcra.arrival;
  const std::int64_t need = cost.value * rate.micros;
  std::int64_t sum = 0, credit = 0, known = 0;
  Instant first = now;
  for (std::size_t i = returned.size(); i-- > 0;) {
    sum += need;
    if (sum >= kExactBelow) break;
    first = i + 1 == returned.size() ? returned[i].at : std::min(first, returned[i].at);
    if (first > arrival.at) continue;
    const std::int64_t since = units_between(first, arrival, rate.permits);
    if (since >= kExactBelow || since < sum || since - sum >= rate.micros) continue;
    credit = sum;
    known = static_cast<std::int64_t>(returned.size() - i);
  }
  if (known > 0) gcra.arrival = arrival.before(credit, rate.permits);
  return known;
}

GcraLook::GcraLook(const GcraParameters& parameters, Gcra& gcra, Permits cost, Instant now)
    : gcra_(gcra),
      rate_(parameters.rate),
      burst_(parameters.burst.value),
      cost_(cost.value),
      now_(now),
      mixed_until_(mixed_until(parameters, gcra, now)) {
  if (rate_.permits > 0) arrival_ = arrival_at(parameters, gcra, now);
}

Instant GcraLook::behind(std::span<const Duration>, std::int64_t units) const {
  const __int128 late = static_cast<__int128>(units + cost_ - burst_) * rate_.micros;
  if (late / rate_.permits > kLong.us) return arrival_.at + kLong;
  const auto whole = static_cast<std::int64_t>(late / rate_.permits);
  const auto rest = static_cast<std::int64_t>(late % rate_.permits);
  const ExactInstant near =
      rest > 0 ? arrival_.after(rest, rate_.permits) : arrival_.before(-rest, rate_.permits);
  return std::max(now_, near.at + Duration{whole});
}

std::optional<Instant> GcraLook::soonest_behind(std::span<const Duration> booked,
                                                std::int64_t units, Duration horizon) const {
  const __int128 late = static_cast<__int128>(units + cost_ - burst_) * rate_.micros;
  if (late > static_cast<__int128>(horizon.us) * rate_.permits) return std::nullopt;
  return behind(booked, units) - horizon;
}

}  // namespace einlass::limits
