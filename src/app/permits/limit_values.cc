#include "app/permits/limit_values.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "units/check.h"

namespace einlass::app {
namespace {

// Those of the parameters; what makes them differ besides is left to whoever compares them.
struct Numbers {
  std::vector<std::int64_t> all;

  void operator()(Permits number) { all.push_back(number.value); }
  void operator()(Duration number) { all.push_back(number.us); }
  void operator()(limits::Rate number) {
    all.push_back(number.permits);
    all.push_back(number.micros);
  }
  void operator()(std::int64_t number) { all.push_back(number); }
};

// Whoever may write quotas chooses the numbers.
std::size_t hash_of(const limits::Parameters& parameters) {
  Numbers numbers{{static_cast<std::int64_t>(parameters.index())}};
  std::visit([&](const auto& p) { limits::each_number(p, numbers); }, parameters);
  return keyed_hash({reinterpret_cast<const char*>(numbers.all.data()),
                     numbers.all.size() * sizeof numbers.all[0]});
}

limits::Limit with(const limits::Limit& of, const limits::Parameters& parameters) {
  limits::Limit limit = of;
  limit.parameters = parameters;
  return limit;
}

}  // namespace

LimitValues::LimitValues(const config::Config& config) : limits_(config.limits.size()) {
  reconfigure(config);
}

LimitValues::~LimitValues() { CHECK(watches_.empty()); }

LimitValues::Found LimitValues::Shared::get(const limits::Limit& of,
                                            const limits::Parameters& parameters) {
  limits::Limit made = with(of, parameters);
  const std::size_t hash = hash_of(parameters);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Found known = it->second.lock();
    if (known && *known == made) return known;
  }
  if (by_hash_.size() >= sweep_at_) {
    std::erase_if(by_hash_, [](const auto& one) { return one.second.expired(); });
    sweep_at_ = 64 + 2 * by_hash_.size();
  }
  auto found = std::make_shared<const limits::Limit>(std::move(made));
  by_hash_.emplace(hash, found);
  return found;
}

LimitValues::Value LimitValues::make(Limit& limit, const config::LimitValue& value) {
  CHECK(value.pace.has_value() == limit.paced_by.has_value());
  Value made{limit.shared.get(limit.own, value.parameters), nullptr};
  if (value.pace) {
    Limit& pace = limits_[*limit.paced_by];
    made.pace = pace.shared.get(pace.own, *value.pace);
  }
  return made;
}

LimitValues::Found LimitValues::find(std::size_t limit, std::string_view key) const {
  if (!any_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::optional<std::size_t> pace_of = limits_[limit].pace_of;
  const Limit& of = limits_[pace_of.value_or(limit)];
  const auto quota = of.quotas.find(key);
  const Value* value = quota != of.quotas.end() ? &quota->second : of.overrides.find(key);
  if (value == nullptr && of.schedule && of.schedule->value) value = &*of.schedule->value;
  if (value == nullptr) return nullptr;
  return pace_of ? value->pace : value->own;
}

void LimitValues::set(std::size_t limit, std::string_view key,
                      const std::optional<config::LimitValue>& quota) {
  const std::lock_guard lock(mutex_);
  Limit& of = limits_[limit];
  CHECK(!of.pace_of);
  const auto known = of.quotas.find(key);
  if (!quota) {
    if (known == of.quotas.end()) return;
    of.quotas.erase(known);
    --quotas_;
  } else if (known == of.quotas.end()) {
    of.quotas.emplace(key, make(of, *quota));
    ++quotas_;
  } else {
    Value now = make(of, *quota);
    if (now == known->second) return;
    known->second = std::move(now);
  }
  any_.store(true, std::memory_order_release);
  changed();
}

void LimitValues::schedule(std::size_t limit, const std::string& span, Instant until,
                           const std::optional<config::LimitValue>& value) {
  const std::lock_guard lock(mutex_);
  Limit& of = limits_[limit];
  CHECK(!of.pace_of && span.empty() == !value.has_value());
  const std::optional<Value> before = of.schedule ? of.schedule->value : std::nullopt;
  of.schedule = {span, until, value ? std::optional(make(of, *value)) : std::nullopt};
  if (of.schedule->value == before) return;
  any_.store(true, std::memory_order_release);
  changed();
}

void LimitValues::unschedule(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(limits_[limit].schedule, std::nullopt)) changed();
}

std::optional<LimitValues::Scheduled> LimitValues::scheduled(std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  const std::optional<std::size_t> pace_of = limits_[limit].pace_of;
  const std::optional<Schedule>& of = limits_[pace_of.value_or(limit)].schedule;
  if (!of) return std::nullopt;
  Scheduled now{of->span, of->until, nullptr};
  if (of->value) now.value = pace_of ? of->value->pace : of->value->own;
  return now;
}

// What a limit says besides its parameters (as its cost) stands in the objects that are there.
void LimitValues::remake(Value& value, Limit& limit) {
  value.own = limit.shared.get(limit.own, value.own->parameters);
  if (!limit.paced_by) return;
  Limit& pace = limits_[*limit.paced_by];
  value.pace = pace.shared.get(pace.own, value.pace->parameters);
}

void LimitValues::reconfigure(const config::Config& config) {
  const std::lock_guard lock(mutex_);
  CHECK(limits_.size() == config.limits.size());
  std::vector<bool> other(limits_.size());  // Which limits say something else now.
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const limits::Limit& now = config.limits[i].limit;
    other[i] = with(limits_[i].own, now.parameters) != now;
    limits_[i].own = now;
    limits_[i].paced_by = config.limits[i].paced_by;
    if (limits_[i].paced_by) limits_[*limits_[i].paced_by].pace_of = i;
  }
  bool any = quotas_ > 0;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    limits_[i].overrides = {};
    for (const config::LimitOverride& one : config.limits[i].overrides) {
      limits_[i].overrides.add(one.key, make(limits_[i], one.value));
      any = true;
    }
    const bool in_a_span = limits_[i].schedule && limits_[i].schedule->value;
    any |= in_a_span;
    if (!other[i]) continue;
    for (auto& [key, value] : limits_[i].quotas) remake(value, limits_[i]);
    if (in_a_span) remake(*limits_[i].schedule->value, limits_[i]);
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
