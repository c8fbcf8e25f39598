#include "limits/windows/counter.h"

namespace einlass::limits {

Permits peek(const CounterParameters& parameters, const Counter& counter, Instant now) {
  if (counter.start > now) return {0};  // Whatever is free is for later.
  const std::int64_t spent = now < counter.end ? counter.count : 0;
  return {std::max<std::int64_t>(0, parameters.limit.value - spent)};
}

std::int64_t give_back(const CounterParameters&, Counter& counter, Permits cost,
                       std::span<const Returned> returned, Instant now) {
  if (std::max(now, counter.start) >= counter.end) return 0;
  std::int64_t known = 0;
  for (const Returned& permit : returned) known += permit.at >= counter.start;
  const bool all = known > counter.count / cost.value;
  counter.count = all ? 0 : counter.count - known * cost.value;
  return known;
}

bool is_fresh(const CounterParameters&, const Counter& counter, Instant now) {
  return std::max(now, counter.start) >= counter.end && now >= counter.start;
}

}  // namespace einlass::limits
