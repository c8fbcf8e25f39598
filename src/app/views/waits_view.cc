#include "app/views/waits_view.h"

#include <algorithm>
#include <utility>

#include "app/views/allowed.h"

namespace einlass::app {
namespace {

std::optional<Allowed> allowed_of(const Shard& shard, const core::LineStanding& standing) {
  if (!standing.limit) return std::nullopt;
  const config::Config& config = shard.config();
  const config::Limit& limit =
      config.limits[config.routes[standing.route.value].limits[standing.limit->value]];
  // Where it waits behind another line's record, that one's limit it is.
  const core::Record* first = standing.first ? shard.gate().record(standing.first->slot) : nullptr;
  const core::LineId line = first != nullptr ? first->line : standing.line;
  return records_allowed_by(limit, shard.limiters().in_force(line, standing.limit->value));
}

std::vector<WaitsView::Line> longest_lines(const Shard& shard, Instant now) {
  std::vector<WaitsView::Line> lines;
  std::vector<std::string_view> keys;
  for (const core::LineStanding& standing : shard.gate().longest_lines(kMostLinesShown, now)) {
    shard.limiters().read_keys(standing.line, keys);
    lines.push_back({standing, {keys.begin(), keys.end()}, {}, allowed_of(shard, standing), {}});
    if (standing.oldest) lines.back().oldest = shard.records()[*standing.oldest].written();
    const core::Record* first =
        standing.first ? shard.gate().record(standing.first->slot) : nullptr;
    if (first == nullptr || first->line == standing.line) continue;
    shard.limiters().read_keys(first->line, keys);
    lines.back().behind.assign(keys.begin(), keys.end());
  }
  return lines;
}

WaitsView::Partition shown(const Shard& shard, const kafka::SourceStatus::Partition& partition,
                           const core::Partition* known) {
  WaitsView::Partition shown;
  shown.topic = partition.topic;
  shown.number = partition.number;
  shown.held = partition.held;
  shown.revoking = partition.revoking;
  shown.waiting = partition.waiting;
  shown.stuck = partition.stuck;
  shown.committed = partition.committed;
  shown.lag = partition.lag;
  if (known == nullptr) return shown;
  shown.route = shard.config().routes[known->route.value].name;
  shown.paused = shard.gate().is_paused(partition.partition);
  shown.inside = known->records;
  shown.finished_ahead = known->ledger.finished_ahead();
  return shown;
}

// What keeps its offset from being committed.
std::optional<WaitingRecord> oldest_of(const Shard& shard, const core::Partition* known,
                                       Instant now) {
  if (known == nullptr || known->phase != core::PartitionPhase::assigned) return std::nullopt;
  const std::optional<core::Slot> slot = known->ledger.oldest_unfinished();
  if (!slot) return std::nullopt;
  const auto standing = shard.gate().standing(*slot, now);
  return standing ? std::optional(described(shard, *standing)) : std::nullopt;
}

}  // namespace

bool comes_before(const WaitsView::Partition& a, const WaitsView::Partition& b) {
  if (a.stuck.empty() != b.stuck.empty()) return b.stuck.empty();
  return a.inside > b.inside;
}

WaitsView waits_of(const Shard& shard, const kafka::SourceStatus& source) {
  WaitsView view;
  view.now = shard.now();
  view.lines = longest_lines(shard, view.now);
  std::vector<std::pair<WaitsView::Partition, const core::Partition*>> all;
  for (const kafka::SourceStatus::Partition& partition : source.partitions) {
    const core::Partition* known = shard.gate().partition(partition.partition);
    all.emplace_back(shown(shard, partition, known), known);
  }
  const std::size_t most = std::min(kMostPartitionsShown, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                    [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  for (std::size_t i = 0; i < most; ++i) {
    view.partitions.push_back(std::move(all[i].first));
    view.partitions.back().oldest = oldest_of(shard, all[i].second, view.now);
  }
  return view;
}

}  // namespace einlass::app
