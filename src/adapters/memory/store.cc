#include "adapters/memory/store.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "adapters/memory/buckets.h"
#include "limits/fleet/acquire_shared.h"
#include "limits/permits/acquire.h"
#include "units/check.h"

namespace einlass::memory {
namespace {

// Only stores of this process share its buckets, so their number and that of the ask are name
// enough.
limits::IdPrefix prefix_of(std::uint16_t store, core::AskId ask) {
  limits::IdPrefix prefix{};
  prefix[0] = static_cast<std::uint8_t>(store >> 8);
  prefix[1] = static_cast<std::uint8_t>(store);
  for (std::size_t i = 0; i < sizeof(ask.value); ++i) {
    prefix[prefix.size() - 1 - i] = static_cast<std::uint8_t>(ask.value >> (8 * i));
  }
  return prefix;
}

static_assert(std::tuple_size_v<limits::IdPrefix> >= sizeof(std::uint16_t) + sizeof(core::AskId));

// How many instants of an answer a forgotten line keeps room for.
constexpr std::size_t kKeptDue = 8;

// Permits that are given back together: as many as a line holds.
constexpr std::size_t kMostReturned = 1'024;

// Most lines have one bucket, and most of many lines ask for one permit: those have all in one
// piece, for with as many lines as keys what costs is to fetch them from memory.
template <class T>
using Few = boost::container::small_vector<T, 1>;

// Until a line is told of its limits' new costs.
constexpr Duration kUntilChanged = Duration::millis(1);

struct Line {
  Few<limits::Charge> charges;  // Points into the buckets; empty: no such line.
  Few<BucketId> buckets;
  // What holds for the buckets instead of their limits' own parameters; empty where nothing does.
  std::vector<Buckets::Value> values;
  std::uint8_t from_record = 0;  // The indexes of charges whose cost a record brings, as bits.
  // Of the last answer, which points to them: they stay where they are while lines are added.
  std::vector<Duration> due;
  std::optional<std::size_t> by_flows;  // The index of the one that flows share, ...
  std::unique_ptr<ToldFlows> told;      // ... and what the last answer says of them.

  // Keeps its room for the line that has its number next, but not that of a long answer.
  void clear() {
    buckets.clear();
    values.clear();
    charges.clear();
    from_record = 0;
    by_flows.reset();
    told.reset();
    if (due.size() > kKeptDue) due = std::vector<Duration>();  // {} would keep its room.
  }

  Buckets::Value value(std::size_t index) const { return values.empty() ? nullptr : values[index]; }

  // REQUIRES: as many charges as buckets, and the table is locked.
  void go_by(std::span<const Bucket> its) {
    const auto has_value = [](const Bucket& bucket) { return bucket.value != nullptr; };
    values.clear();
    if (std::ranges::any_of(its, has_value)) {
      for (const Bucket& bucket : its) values.push_back(bucket.value);
    }
    for (std::size_t i = 0; i < its.size(); ++i) {
      const limits::Limit& in_force = its[i].value ? *its[i].value : *its[i].limit;
      charges[i].parameters = &in_force.parameters;
      charges[i].cost = its[i].limit->cost;
    }
  }

  // Whether other costs hold by now, which it is to be told of soon. Its limits' other numbers are
  // new already, and the two do not go together. REQUIRES: the table is locked.
  bool has_old_costs(const Buckets& of) const {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      if (from_record >> i & 1) continue;
      if (charges[i].cost != of.limit(buckets[i]).cost) return true;
    }
    return false;
  }

  std::span<const limits::Charge> costing(Permits of_record) {
    for (std::size_t i = 0; from_record != 0 && i < charges.size(); ++i) {
      if (from_record >> i & 1) charges[i].cost = of_record;
    }
    return {charges.data(), charges.size()};
  }
};

}  // namespace

struct Store::State {
  State(core::Events& where, Table& shared, std::uint16_t its_number)
      : events(where), table(shared), number(its_number) {}

  limits::PermitId id_of(const core::Permit& permit) const {
    return limits::permit_id(prefix_of(number, permit.ask), permit.index);
  }

  Line& known(core::LineId id) {
    CHECK(id.value < lines.size() && !lines[id.value].charges.empty());
    return lines[id.value];
  }

  // REQUIRES: the table is locked.
  limits::FleetShare& share_of(Line& line) {
    return table.buckets_.share(line.buckets[*line.by_flows]);
  }
  limits::Answer acquire(Line& line, const core::Ask& ask, const limits::Demand& demand,
                         Instant at) {
    const auto charges = line.costing(ask.cost);
    if (ask.flows == nullptr || !line.by_flows) {
      return limits::acquire(charges, demand, at, line.due);
    }
    if (!line.told) line.told = std::make_unique<ToldFlows>();
    const limits::ShareDemand of_flows{limits::GateId{number}, limits::kIdleAfter, ask.flows};
    return limits::acquire_shared(charges, *line.by_flows, share_of(line), of_flows, demand, at,
                                  line.due, *line.told);
  }

  // Those of one cost at a time, the last ones first. REQUIRES: the table is locked.
  void take_back() {
    while (!returned.empty()) {
      const Permits cost = returned_costs.back();
      std::size_t first = returned.size();
      while (first > 0 && returned_costs[first - 1] == cost) --first;
      limits::release(known(returned_by).costing(cost), std::span(returned).subspan(first),
                      table.moved_on(returned_at));
      returned.resize(first);
      returned_costs.resize(first);
    }
  }

  core::Events& events;
  Table& table;
  const std::uint16_t number;  // Among the table's stores.
  // What was given back of one line, in the order of the grants. Together they are worth more than
  // one by one: a queue takes back no turn that has others behind it.
  std::vector<limits::Returned> returned;
  core::LineId returned_by;
  std::vector<Permits> returned_costs;
  Instant returned_at;
  std::vector<Line> lines;     // By LineId, which are dense.
  std::uint64_t granted = 0;
  std::uint64_t denied = 0;
};

Store::Store(core::Events& events, Table& table) {
  const std::lock_guard lock(table.mutex_);
  state_ = std::make_unique<State>(events, table, table.stores_++);
}

Store::~Store() = default;

void Store::add_line(core::LineId id, std::span<const Bucket> buckets) {
  CHECK(!buckets.empty() && buckets.size() <= limits::kMostBuckets);
  if (state_->lines.size() <= id.value) state_->lines.resize(id.value + 1);
  Line& line = state_->lines[id.value];
  CHECK(line.charges.empty());
  const std::lock_guard lock(state_->table.mutex_);
  Buckets& shared = state_->table.buckets_;
  for (const Bucket& bucket : buckets) {
    const BucketId use = shared.use(*bucket.limit, bucket.key, bucket.value);
    if (bucket.limit->cost_from_record) {
      line.from_record |= static_cast<std::uint8_t>(1u << line.charges.size());
    }
    if (bucket.limit->by_flows) line.by_flows = line.charges.size();
    line.buckets.push_back(use);
    line.charges.push_back({&bucket.limit->parameters, &shared.state(use), bucket.limit->cost});
  }
  line.go_by(buckets);
}

void Store::forget_line(core::LineId id) {
  Line& line = state_->known(id);
  const std::lock_guard lock(state_->table.mutex_);
  state_->take_back();
  for (std::size_t i = 0; i < line.buckets.size(); ++i) {
    state_->table.buckets_.leave(line.buckets[i], line.value(i));
  }
  line.clear();
}

void Store::change_line(core::LineId id, std::span<const Bucket> buckets) {
  Line& line = state_->known(id);
  CHECK(buckets.size() == line.charges.size());
  const std::lock_guard lock(state_->table.mutex_);
  state_->take_back();
  line.go_by(buckets);
}

void Store::ask(const core::Ask& ask, Instant now) {
  Line& line = state_->known(ask.line);
  const auto most = static_cast<std::size_t>(ask.max.value);
  if (line.due.size() < most) line.due.resize(most);
  const limits::Demand demand{ask.min,     ask.max,
                              ask.horizon, prefix_of(state_->number, ask.ask),
                              ask.costs,   line.from_record};
  limits::Answer answer;
  Duration behind;  // Another shard may be further on than we are.
  {
    const std::lock_guard lock(state_->table.mutex_);
    if (line.has_old_costs(state_->table.buckets_)) {
      state_->events.push_back(core::PermitsFailed{ask.line, ask.ask, kUntilChanged});
      return;
    }
    state_->take_back();
    const Instant at = state_->table.moved_on(now);
    state_->table.buckets_.sweep(at);
    answer = state_->acquire(line, ask, demand, at);
    behind = at - now;
  }
  ++(answer.granted.value > 0 ? state_->granted : state_->denied);
  const auto granted = static_cast<std::size_t>(answer.granted.value);
  for (std::size_t i = 0; i < granted; ++i) line.due[i] = line.due[i] + behind;
  if (answer.retry) answer.retry = *answer.retry + behind;
  state_->events.push_back(core::PermitsAnswered{
      ask.line, ask.ask, std::span<const Duration>(line.due).first(granted), now, answer.retry,
      core::LimitIndex{static_cast<std::uint8_t>(answer.reason)}, answer.ahead, false,
      ask.flows != nullptr ? line.told.get() : nullptr});
}

void Store::release(const core::Release& release, Instant now) {
  Line& line = state_->known(release.line);
  const core::Permit& permit = release.permit;
  State& state = *state_;
  const std::lock_guard lock(state.table.mutex_);
  const bool others = state.returned_by != release.line;
  if (others || state.returned.size() >= kMostReturned) state.take_back();
  state.returned.push_back({state.id_of(permit), permit.stamp});
  state.returned_by = release.line;
  state.returned_costs.push_back(permit.cost);
  state.returned_at = now;
  if (!line.by_flows || !permit.flow) return;
  state_->share_of(line).give_back(permit.flow_level, *permit.flow,
                                   line.charges[*line.by_flows].cost);
}

void Store::ended(const core::Ended& ended, Instant now) {
  Line& line = state_->known(ended.line);
  const std::array ids = {state_->id_of(ended.permit)};
  const std::lock_guard lock(state_->table.mutex_);
  state_->take_back();
  limits::ended(line.costing(ended.permit.cost), ids, state_->table.moved_on(now));
}

void Store::sweep(Instant now) {
  const std::lock_guard lock(state_->table.mutex_);
  state_->take_back();
  state_->table.buckets_.sweep(state_->table.moved_on(now));
}

StoreStatus Store::status() const {
  return {state_->granted, state_->denied, state_->table.size()};
}

}  // namespace einlass::memory
