#include "app/permits/limit_values.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <variant>

#include "app/record/extract.h"
#include "units/check.h"

namespace einlass::app {
namespace {

// With which of the parameters these are.
constexpr std::size_t kMostNumbers = 1 + sizeof(limits::Parameters) / sizeof(int);

// Those of the parameters; what makes them differ besides is left to whoever compares them.
struct Numbers {
  std::array<std::int64_t, kMostNumbers> all;
  std::size_t count = 0;

  void operator()(Permits number) { (*this)(number.value); }
  void operator()(Duration number) { (*this)(number.us); }
  void operator()(limits::Rate number) {
    (*this)(number.permits);
    (*this)(number.micros);
  }
  void operator()(std::int64_t number) { all.at(count++) = number; }
};

// Whoever may write quotas chooses the numbers.
std::size_t hash_of(const limits::Parameters& parameters) {
  Numbers numbers;
  numbers(static_cast<std::int64_t>(parameters.index()));
  std::visit([&](const auto& p) { limits::each_number(p, numbers); }, parameters);
  return keyed_hash({reinterpret_cast<const char*>(numbers.all.data()),
                     numbers.count * sizeof numbers.all[0]});
}

limits::Limit with(const limits::Limit& of, const limits::Parameters& parameters) {
  limits::Limit limit = of;
  limit.parameters = parameters;
  return limit;
}

bool same(const config::LimitValue& a, const config::LimitValue& b) {
  return a.parameters == b.parameters && a.pace == b.pace;
}

}  // namespace

LimitValues::LimitValues(const config::Config& config) : limits_(config.limits.size()) {
  reconfigure(config);
}

LimitValues::~LimitValues() { CHECK(watches_.empty()); }

LimitValues::Found LimitValues::Shared::get(const limits::Limit& of,
                                            const limits::Parameters& parameters) {
  const std::size_t hash = hash_of(parameters);
  auto [it, end] = by_hash_.equal_range(hash);
  while (it != end) {
    Found known = it->second.lock();
    if (known && known->parameters == parameters) return known;
    it = known ? std::next(it) : by_hash_.erase(it);
  }
  if (by_hash_.size() >= sweep_at_) {
    std::erase_if(by_hash_, [](const auto& one) { return one.second.expired(); });
    sweep_at_ = 64 + 2 * by_hash_.size();
  }
  // In two pieces, so that the larger one goes with whoever had it last.
  Found found(new limits::Limit(with(of, parameters)));
  by_hash_.emplace(hash, found);
  return found;
}

// Of a limit that keeps another's burst, `value` is that other's, and holds the pace.
LimitValues::Found LimitValues::made(const Limit& limit, const config::LimitValue& value) const {
  return limit.shared.get(limit.own, limit.pace_of ? value.pace.value() : value.parameters);
}

LimitValues::Found LimitValues::find(std::size_t limit, std::string_view key) const {
  if (!any_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  const Limit& asked = limits_[limit];
  const Limit& of = limits_[asked.pace_of.value_or(limit)];
  if (const auto quota = of.quotas.find(key); quota != of.quotas.end()) {
    return made(asked, quota->value());
  }
  if (const config::LimitValue* value = of.overrides.find(key)) return made(asked, *value);
  if (of.schedule && of.schedule->value) return made(asked, *of.schedule->value);
  return nullptr;
}

void LimitValues::set(std::size_t limit, std::string_view written,
                      const std::optional<config::LimitValue>& quota) {
  std::string scratch;
  const std::string_view key = bounded_key(written, scratch);
  const std::lock_guard lock(mutex_);
  Limit& of = limits_[limit];
  CHECK(!of.pace_of && (!quota || quota->pace.has_value() == of.paced_by.has_value()));
  const auto known = of.quotas.find(key);
  const bool was_known = known != of.quotas.end();
  if (!was_known && !quota) return;
  if (was_known && quota && same(known->value(), *quota)) return;
  if (was_known) of.quotas.erase(known);
  if (quota) of.quotas.emplace(key, *quota);
  quotas_ = quotas_ + (quota ? 1 : 0) - (was_known ? 1 : 0);
  any_.store(true, std::memory_order_release);
  changed();
}

void LimitValues::schedule(std::size_t limit, const std::string& span, Instant until,
                           const std::optional<config::LimitValue>& value) {
  const std::lock_guard lock(mutex_);
  Limit& of = limits_[limit];
  CHECK(!of.pace_of && span.empty() == !value.has_value());
  CHECK(!value || value->pace.has_value() == of.paced_by.has_value());
  const bool is_known = of.schedule ? of.schedule->value == value : !value;
  of.schedule = {span, until, value};
  if (is_known) return;
  any_.store(true, std::memory_order_release);
  changed();
}

void LimitValues::unschedule(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(limits_[limit].schedule, std::nullopt)) changed();
}

std::optional<LimitValues::Scheduled> LimitValues::scheduled(std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  const Limit& asked = limits_[limit];
  const std::optional<Schedule>& of = limits_[asked.pace_of.value_or(limit)].schedule;
  if (!of) return std::nullopt;
  return Scheduled{of->span, of->until, of->value ? made(asked, *of->value) : nullptr};
}

void LimitValues::reconfigure(const config::Config& config) {
  const std::lock_guard lock(mutex_);
  CHECK(limits_.size() == config.limits.size());
  bool any = quotas_ > 0;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    Limit& limit = limits_[i];
    const limits::Limit& now = config.limits[i].limit;
    // What a limit says besides its parameters (as its cost) stands in the objects that are there.
    if (with(limit.own, now.parameters) != now) limit.shared = {};
    limit.own = now;
    limit.paced_by = config.limits[i].paced_by;
    if (limit.paced_by) limits_[*limit.paced_by].pace_of = i;
    limit.overrides = {};
    for (const config::LimitOverride& one : config.limits[i].overrides) {
      CHECK(one.value.pace.has_value() == limit.paced_by.has_value());
      std::string scratch;
      limit.overrides.add(config::is_pattern(one.key) ? one.key : bounded_key(one.key, scratch),
                          one.value);
      any = true;
    }
    any |= limit.schedule && limit.schedule->value;
  }
  any_.store(any, std::memory_order_release);
  changed();
}

std::size_t LimitValues::size() const {
  const std::lock_guard lock(mutex_);
  return quotas_;
}

// REQUIRES: the lock is held.
void LimitValues::changed() {
  version_.fetch_add(1, std::memory_order_release);
  for (const Watch* watch : watches_) watch->changed_();
}

LimitValues::Watch::Watch(LimitValues& values, std::function<void()> changed)
    : values_(values), changed_(std::move(changed)) {
  const std::lock_guard lock(values_.mutex_);
  values_.watches_.push_back(this);
}

LimitValues::Watch::~Watch() {
  const std::lock_guard lock(values_.mutex_);
  std::erase(values_.watches_, this);
}

}  // namespace einlass::app
