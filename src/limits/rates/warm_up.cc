#include "limits/rates/warm_up.h"

#include <algorithm>

namespace einlass::limits {
namespace {

constexpr std::int64_t kPieces = 64;

// A rate that changed also changes the unit. Whole permits stay.
void convert(const WarmUpParameters& p, WarmUp& state) {
  if (state.rate == p.rate) return;
  if (state.rate.micros != p.rate.micros) {
    const std::int64_t permits = state.level / state.rate.micros;
    const std::int64_t most = full(p) / p.rate.micros;
    state.level = permits > most ? full(p) : permits * p.rate.micros;
  }
  state.next.frac = 0;
  state.rate = p.rate;
}

// Collects what the time since the last permit was paid has brought: never above full.
void idle_until(std::int64_t full, WarmUp& state, Instant now) {
  state.level = std::min(state.level, full);
  if (now <= state.next.at) return;
  std::int64_t gain = 0;
  const std::int64_t room = full - state.level - state.next.frac;
  const Duration idle = now - state.next.at;
  const bool filled = __builtin_mul_overflow(idle.us, state.rate.permits, &gain) || gain >= room;
  state.level = filled ? full : state.level + gain + state.next.frac;
  state.next = {now};
}

WarmUp advanced(const WarmUpParameters& parameters, const WarmUp& state, Instant now) {
  WarmUp next = state;
  convert(parameters, next);
  idle_until(full(parameters), next, now);
  return next;
}

}  // namespace

std::int64_t surcharge(std::int64_t level, std::int64_t full) {
  const std::int64_t warm = full / 2;
  const std::int64_t piece = (full - warm + kPieces - 1) / kPieces;
  const std::int64_t cold = std::max<std::int64_t>(0, level - warm);
  const std::int64_t whole = std::min(kPieces - 1, cold / piece);
  return (whole * whole * piece + (2 * whole + 1) * (cold - whole * piece)) / kPieces;
}

WarmUp fresh(const WarmUpParameters& parameters, std::string_view) {
  return {full(parameters), {}, parameters.rate};
}

Permits peek(const WarmUpParameters& parameters, const WarmUp& state, Instant now) {
  return {parameters.rate.permits > 0 && state.next.at <= now ? 1 : 0};
}

bool is_fresh(const WarmUpParameters& parameters, const WarmUp& state, Instant now) {
  const WarmUp next = advanced(parameters, state, now);
  return next.level == full(parameters) && next.next.at <= now;
}

WarmUpLook::WarmUpLook(const WarmUpParameters& parameters, WarmUp& state, Permits cost, Instant now)
    : state_(state),
      full_(full(parameters)),
      need_(cost.value * parameters.rate.micros),
      next_(advanced(parameters, state, now)) {}

bool WarmUpLook::ever(std::int64_t permits, Duration horizon) const {
  if (next_.rate.permits == 0) return false;
  // As the last permit of an ask is paid by the next ask, it does not count.
  const std::int64_t units = horizon.us * next_.rate.permits;
  if (permits - 1 > units / need_) return false;
  const std::int64_t usual = (permits - 1) * need_;
  const std::int64_t rest = full_ - std::min(usual, full_);
  return usual + surcharge(full_, full_) - surcharge(rest, full_) <= units;
}

void WarmUpLook::book(Instant at) {
  idle_until(full_, next_, at);
  const std::int64_t rest = next_.level - std::min(need_, next_.level);
  const std::int64_t price = need_ + surcharge(next_.level, full_) - surcharge(rest, full_);
  next_.level = rest;
  next_.next = next_.next.after(price, next_.rate.permits);
}

}  // namespace einlass::limits
