#include "whole_gate/table_plan.h"

#include <algorithm>
#include <limits>

#include "whole_gate/plan.h"

namespace einlass::whole {
namespace {

constexpr Micros kMilli = 1'000;

// A quota is never so small that a record costs more than it has at once.
constexpr std::uint64_t kLeastQuota = 4, kLeastRate = 3;

TableEntry::About draw_about(Kernel& kernel, const Plan& plan) {
  using enum TableEntry::About;
  if (plan.has_keys && kernel.one_in(2)) return kernel.one_in(3) ? key : quota;
  return static_cast<TableEntry::About>(kernel.dice(3));
}

void draw_quota(Kernel& kernel, const Plan& plan, TableEntry& entry) {
  entry.key = "shared/" + entry.name;
  entry.promise = plan.promise;
  const std::uint64_t most = kLeastQuota + kernel.dice(4);
  const std::uint64_t rate = kLeastRate + kernel.dice(10);
  if (plan.is_bucket) {
    entry.value =
        "\"rate\": \"" + std::to_string(rate) + "/s\", \"burst\": " + std::to_string(most);
    entry.promise.per_second = static_cast<double>(rate);
  } else {
    entry.value = "\"limit\": " + std::to_string(most);
  }
  entry.promise.most = most;
}

void draw_pause(Kernel& kernel, const Plan& plan, TableEntry& entry) {
  const Origin& origin = plan.origins[kernel.dice(plan.origins.size())];
  entry.value = "\"paused\": true";
  switch (entry.about) {
    case TableEntry::About::route:
      entry.number = origin.route;
      entry.key = origin.route == 0 ? "pause:route/r" : "pause:route/s";
      return;
    case TableEntry::About::target:
      entry.name = origin.path;
      entry.key = origin.path == kFirstPath ? "pause:target/t" : "pause:target/u";
      return;
    case TableEntry::About::topic:
      entry.name = origin.topic;
      entry.key = "pause:topic/" + origin.topic;
      return;
    default:
      entry.key = "pause:limit/shared/" + entry.name;
  }
}

// Some are there before the gate, and some come when nothing goes wrong any more.
void draw_times(Kernel& kernel, const Plan& plan, TableEntry& entry) {
  const Micros last = (plan.bad_until + 5 * kSecond) / kMilli;
  const bool comes_later = !kernel.one_in(3);
  const Micros first = comes_later && kernel.one_in(2) ? 1 : last / 2;
  if (comes_later) entry.from = kernel.between(first, last) * kMilli;
  entry.way = static_cast<TableEntry::Way>(kernel.dice(3));
  const bool is_quota = entry.about == TableEntry::About::quota;
  if (is_quota && kernel.one_in(2)) return;
  entry.lasts = kernel.between(1'000, kernel.one_in(2) ? 10'000 : 60'000) * kMilli;
  entry.ends_by_itself = kernel.one_in(3);
  // Where partitions are in order, one key keeps the others behind it.
  const bool stops_others =
      entry.about == TableEntry::About::key && plan.ordered == Ordered::by_partition;
  const bool may_outlast = !is_quota && !entry.ends_by_itself && !stops_others;
  entry.outlasts_all = may_outlast && kernel.one_in(3);
  if (entry.outlasts_all) entry.lasts.reset();
}

}  // namespace

std::vector<TableEntry> draw_table(Kernel& kernel, const Plan& plan) {
  std::vector<TableEntry> entries;
  for (std::uint64_t wanted = 1 + kernel.dice(5); wanted > 0; --wanted) {
    TableEntry entry;
    entry.about = draw_about(kernel, plan);
    entry.name = "k" + std::to_string(kernel.dice(plan.keys));
    const bool quota = entry.about == TableEntry::About::quota;
    quota ? draw_quota(kernel, plan, entry) : draw_pause(kernel, plan, entry);
    draw_times(kernel, plan, entry);
    // What is written again while the gate may know the last one only would not tell who is late.
    const bool again = std::ranges::any_of(
        entries, [&](const TableEntry& known) { return known.key == entry.key; });
    if (!again) entries.push_back(std::move(entry));
  }
  return entries;
}

double slowest(const TableEntry& entry) {
  if (entry.about != TableEntry::About::quota) return std::numeric_limits<double>::infinity();
  const Promise& promise = entry.promise;
  return promise.per_second > 0 ? promise.per_second : static_cast<double>(promise.most);
}

std::string value_of(const TableEntry& entry, Micros began) {
  if (!entry.ends_by_itself) return "{" + entry.value + "}";
  const Micros until_ms = (began + entry.from + *entry.lasts) / 1'000;
  return "{" + entry.value + ", \"until\": " + std::to_string(until_ms) + "}";
}

}  // namespace einlass::whole
