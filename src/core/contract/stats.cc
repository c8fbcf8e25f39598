#include "core/contract/stats.h"

#include <algorithm>
#include <cstddef>

#include "units/check.h"

namespace einlass::core {
namespace {

void add(std::uint64_t& to, std::uint64_t one) { to += one; }

void add(LimitStats& to, const LimitStats& one) {
  auto& [admissions, rejections, released] = to;
  admissions += one.admissions;
  rejections += one.rejections;
  released += one.released;
}

template <class List>
void add_each(List& to, const List& one) {
  CHECK(to.size() == one.size());
  for (std::size_t i = 0; i < to.size(); ++i) add(to[i], one[i]);
}

}  // namespace

void Histogram::observe(Duration d) {
  const std::int64_t us = std::max<std::int64_t>(d.us, 0);
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), us);
  ++counts[static_cast<std::size_t>(bound - kBounds.begin())];
  sum_us += static_cast<double>(us);
}

void add(Histogram& to, const Histogram& one) {
  add_each(to.counts, one.counts);
  to.sum_us += one.sum_us;
}

// Each member is named, so that one that is new does not compile before it is added here too.
void add(Waiting& to, const Waiting& one) {
  auto& [records, behind, for_limit, lines, lines_for_limit, by_level] = to;
  add_each(records.counts, one.records.counts);
  add_each(behind.counts, one.behind.counts);
  add_each(for_limit, one.for_limit);
  lines += one.lines;
  add_each(lines_for_limit, one.lines_for_limit);
  add_each(by_level, one.by_level);
}

void add(RouteStats& to, const RouteStats& one) {
  auto& [received, delivered, dead_lettered, returned, filtered, finished_before, never, inside,
         accepted, retry, refused, stood_in, admission_wait, lateness, attempt_duration, limits,
         share_permits] = to;
  received += one.received;
  delivered += one.delivered;
  add_each(dead_lettered, one.dead_lettered);
  returned += one.returned;
  filtered += one.filtered;
  finished_before += one.finished_before;
  never += one.never;
  inside += one.inside;
  accepted += one.attempts_accepted;
  retry += one.attempts_retry;
  refused += one.attempts_refused;
  stood_in += one.stood_in;
  add(admission_wait, one.admission_wait);
  add(lateness, one.permit_lateness);
  add(attempt_duration, one.attempt_duration);
  add_each(limits, one.limits);
  add_each(share_permits, one.share_permits);
}

}  // namespace einlass::core
