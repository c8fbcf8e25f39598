#include "adapters/memory/store.h"

#include <array>
#include <vector>

#include "adapters/memory/buckets.h"
#include "limits/acquire.h"
#include "units/check.h"

namespace einlass::memory {
namespace {

// The asks of this process alone share its buckets, so their number is name enough.
limits::IdPrefix prefix_of(core::AskId ask) {
  limits::IdPrefix prefix{};
  for (std::size_t i = 0; i < sizeof(ask.value); ++i) {
    prefix[prefix.size() - 1 - i] = static_cast<std::uint8_t>(ask.value >> (8 * i));
  }
  return prefix;
}

limits::PermitId id_of(const core::Permit& permit) {
  return limits::permit_id(prefix_of(permit.ask), permit.index);
}

struct Line {
  std::vector<BucketId> buckets;
  std::vector<limits::Charge> charges;    // Points into the buckets; empty: no such line.
  std::vector<std::uint8_t> from_record;  // The places of charges whose cost a record brings.
  std::vector<Duration> due;              // Of the last answer.

  std::span<const limits::Charge> costing(Permits of_record) {
    for (const std::uint8_t place : from_record) charges[place].cost = of_record;
    return charges;
  }
};

}  // namespace

struct Store::State {
  explicit State(core::Events& where) : events(where) {}

  Line& known(core::LineId id) {
    CHECK(id.value < lines.size() && !lines[id.value].charges.empty());
    return lines[id.value];
  }

  core::Events& events;
  Buckets buckets;
  std::vector<Line> lines;  // By LineId, which are dense.
  std::uint64_t granted = 0;
  std::uint64_t denied = 0;
};

Store::Store(core::Events& events) : state_(std::make_unique<State>(events)) {}
Store::~Store() = default;

void Store::add_line(core::LineId id, std::span<const Bucket> buckets) {
  CHECK(!buckets.empty() && buckets.size() <= limits::kMostBuckets);
  if (state_->lines.size() <= id.value) state_->lines.resize(id.value + 1);
  Line& line = state_->lines[id.value];
  CHECK(line.charges.empty());
  for (const Bucket& bucket : buckets) {
    const BucketId use = state_->buckets.use(*bucket.limit, bucket.key);
    if (bucket.limit->cost_from_record) {
      line.from_record.push_back(static_cast<std::uint8_t>(line.charges.size()));
    }
    line.buckets.push_back(use);
    line.charges.push_back(
        {&bucket.limit->parameters, &state_->buckets.state(use), bucket.limit->cost});
  }
}

void Store::forget_line(core::LineId id) {
  Line& line = state_->known(id);
  for (const BucketId bucket : line.buckets) state_->buckets.leave(bucket);
  line = {};
}

void Store::ask(const core::Ask& ask, Instant now) {
  Line& line = state_->known(ask.line);
  state_->buckets.sweep(now);
  const auto most = static_cast<std::size_t>(ask.max.value);
  if (line.due.size() < most) line.due.resize(most);
  const limits::Answer answer = limits::acquire(
      line.costing(ask.cost), {ask.min, ask.max, ask.horizon, prefix_of(ask.ask)}, now, line.due);
  ++(answer.granted.value > 0 ? state_->granted : state_->denied);
  const auto granted = static_cast<std::size_t>(answer.granted.value);
  state_->events.push_back(core::PermitsAnswered{
      ask.line, ask.ask, std::span<const Duration>(line.due).first(granted), now, answer.retry,
      core::LimitIndex{static_cast<std::uint8_t>(answer.reason)}});
}

void Store::release(const core::Release& release, Instant now) {
  Line& line = state_->known(release.line);
  state_->buckets.sweep(now);
  const core::Permit& permit = release.permit;
  const std::array returned = {limits::Returned{id_of(permit), permit.stamp}};
  limits::release(line.costing(permit.cost), returned, now);
}

void Store::ended(const core::Ended& ended, Instant now) {
  Line& line = state_->known(ended.line);
  const std::array ids = {id_of(ended.permit)};
  limits::ended(line.costing(ended.permit.cost), ids, now);
}

void Store::sweep(Instant now) { state_->buckets.sweep(now); }

StoreStatus Store::status() const {
  return {state_->granted, state_->denied, state_->buckets.size()};
}

}  // namespace einlass::memory
