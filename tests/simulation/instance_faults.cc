// What the world does to a gate from outside.
#include <algorithm>
#include <variant>

#include "instance.h"
#include "world.h"

namespace einlass::simulation {

// At once, as the shard does it: by the time of an event in the queue the line may be gone.
void Instance::pause_something(Dice& with, Duration length) {
  const std::int64_t kind = with.between(0, 2);
  core::Event on, off;
  if (kind == 0) {
    const auto last = static_cast<std::int64_t>(settings_.routes.size()) - 1;
    const core::RouteId route{static_cast<std::uint16_t>(with.between(0, last))};
    on = core::RoutePaused{route, true};
    off = core::RoutePaused{route, false};
  } else if (kind == 1 && !line_ids_.empty()) {
    const auto last = static_cast<std::int64_t>(line_ids_.size()) - 1;
    const core::LineId line = std::next(line_ids_.begin(), with.between(0, last))->second;
    on = core::LinePaused{line, true};
    off = core::LinePaused{line, false};
  } else {
    const auto last = static_cast<std::int64_t>(assignments_.size()) - 1;
    if (last < 0) return;
    const core::PartitionId id{static_cast<std::uint32_t>(with.between(0, last))};
    on = core::PartitionPaused{id, true};
    off = core::PartitionPaused{id, false};
  }
  say_paused(on);
  after(length, [this, off] { say_paused(off); });
}

void Instance::say_paused(const core::Event& event) {
  if (const auto* e = std::get_if<core::RoutePaused>(&event)) {
    e->paused ? (void)paused_routes_.insert(e->route.value)
              : (void)paused_routes_.erase(e->route.value);
  }
  if (const auto* e = std::get_if<core::LinePaused>(&event)) {
    const bool known =
        std::ranges::any_of(line_ids_, [&](const auto& one) { return one.second == e->line; });
    if (!known) return;
    e->paused ? (void)paused_lines_.insert(e->line.value)
              : (void)paused_lines_.erase(e->line.value);
  }
  handle(event);
  wake(Duration{});
}

bool Instance::is_paused(core::LineId id) const {
  return paused_lines_.contains(id.value) || paused_routes_.contains(lines_[id.value].route.value);
}

void Instance::value_changed(std::size_t limit, std::int64_t key, Duration delay) {
  after(delay, [this, limit, key] {
    for (const auto& [of, line] : line_ids_) {
      const bool has = std::ranges::any_of(lines_[line.value].buckets, [&](const BucketKey& one) {
        return one.limit == limit && one.key == key;
      });
      if (has) tell(core::LimitsChanged{line, key == -1});
    }
  });
}

void Instance::delete_next(Assignment& from, std::int64_t records) {
  if (from.leaving) return;
  std::vector<LogRecord>& log = world_.kafka.log(from.partition);
  std::optional<Offset> last;
  for (; records > 0 && from.position < log.size(); --records, ++from.position) {
    LogRecord& record = log[from.position];
    if (record.appended > world_.timeline.now()) break;
    record.deleted = record.finished = true;
    last = record.offset;
  }
  if (last) tell(core::PartitionMoved{from.id, Offset{last->value + 1}});
}

void Instance::store_down(core::StoreId store, Duration outage) {
  if (store_down_[store.value]) return;
  store_down_[store.value] = true;
  tell(core::StoreDown{store});
  for (auto& [ask, question] : questions_) {
    if (!question.ended && lines_[question.line.value].store == store) fail(ask);
  }
  after(outage, [this, store] {
    store_down_[store.value] = false;
    tell(core::StoreUp{store});
  });
}

}  // namespace einlass::simulation
