#include "app/views/allowed.h"

#include <algorithm>
#include <variant>

namespace einlass::app {
namespace {

double number(Permits permits) { return static_cast<double>(permits.value); }

template <class P>
double at_once(const P& p) {
  if constexpr (requires { p.burst; }) {
    if (p.burst.value > 0) return number(p.burst);
  }
  if constexpr (requires { p.limit; }) return number(p.limit);
  return 0;
}
double at_once(const limits::LeakyBucketParameters& p) { return p.queue ? 1 : number(p.capacity); }
double at_once(const limits::WarmUpParameters&) { return 1; }

template <class P>
std::optional<double> per_second(const P& p) {
  if constexpr (requires { p.rate; }) {
    return static_cast<double>(p.rate.permits) * 1e6 / static_cast<double>(p.rate.micros);
  } else if constexpr (requires { p.window; }) {
    return number(p.limit) * 1e6 / static_cast<double>(p.window.us);
  } else {
    return std::nullopt;
  }
}

template <class P>
double freed(const P& p) {
  if constexpr (requires { p.window; }) return number(p.limit);
  return 1;
}

}  // namespace

Allowed allowed_by(const limits::Parameters& parameters) {
  return std::visit(
      [](const auto& p) {
        return Allowed{at_once(p), per_second(p), freed(p)};
      },
      parameters);
}

std::optional<Allowed> records_allowed_by(const config::Limit& limit,
                                          const limits::Parameters& in_force) {
  if (limit.cost.kind != config::CostSource::Kind::number) return std::nullopt;
  Allowed allowed = allowed_by(in_force);
  const double cost = number(limit.limit.cost);
  allowed.at_once /= cost;
  if (allowed.per_second) *allowed.per_second /= cost;
  allowed.freed = std::max(1.0, allowed.freed / cost);
  return allowed;
}

std::optional<double> drain_seconds(std::uint64_t records, const std::optional<Allowed>& allowed) {
  if (!allowed || allowed->per_second.value_or(0) <= 0) return std::nullopt;
  const double later = static_cast<double>(records) - allowed->freed;
  return later > 0 ? std::optional(later / *allowed->per_second) : std::nullopt;
}

}  // namespace einlass::app
