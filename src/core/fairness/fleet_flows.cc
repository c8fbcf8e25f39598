#include "core/fairness/fleet_flows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "units/check.h"

namespace einlass::core {
namespace {

constexpr std::int64_t kUnit = 1'000;  // Of a tag: what a permit of cost 1 takes at weight 1.

// What may be added up of weights and still be counted exactly by the limiter.
constexpr std::int64_t kMostWeights = std::int64_t{1} << 24;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// As far as it has been served, under another weight.
Served under(std::int64_t weight, Served served, std::int64_t before) {
  return weight == before ? served : floor_div(served, before) * weight;
}

// Of those that wait, without what the ask itself names.
WaitingFlows rest_of(std::int64_t weights, std::uint64_t served, std::int64_t records,
                     std::int64_t time) {
  const std::uint64_t begun =
      static_cast<std::uint64_t>(weights) * static_cast<std::uint64_t>(time);
  WaitingFlows rest{weights, static_cast<Served>(served - begun), records};
  if (weights <= kMostWeights) return rest;
  rest.served = floor_div(rest.served, weights) * kMostWeights;
  rest.weights = kMostWeights;
  return rest;
}

}  // namespace

FleetFlows::FleetFlows(const ShareOptions& options) : options_(options) {
  asking_.levels = options.levels;
  asking_.keep = options.keep;
  asking_.time.assign(options.levels, 0);
}

std::int64_t FleetFlows::done(const Flow& flow) const {
  return floor_div(flow.served + kUnit, flow.weight);
}

void FleetFlows::weigh(std::uint32_t index, std::uint16_t weight) {
  Flow& flow = flows_[index];
  if (flow.waits && flow.weight != weight) {
    sums_.weights[flow.level] += weight - flow.weight;
    const Served served = under(weight, flow.served, flow.weight);
    flow.weight = weight;
    set_served(index, served);
  }
  flow.weight = weight;
}

void FleetFlows::join(std::uint32_t index, const FlowMark& mark, std::uint16_t weight) {
  if (index >= flows_.size()) flows_.resize(index + 1);
  Flow& flow = flows_[index];
  if (flow.records == 0 && flow.promised == 0) {
    flow.id = mark.in_fleet;
    flow.level = mark.level;
  }
  weigh(index, weight);
  ++flow.records;
  ++sums_.records[flow.level];
  update(flow);
}

void FleetFlows::leave(std::uint32_t index) {
  Flow& flow = flows_[index];
  CHECK(flow.records > 0);
  --flow.records;
  --sums_.records[flow.level];
  update(flow);
}

void FleetFlows::promise(std::uint32_t index) {
  ++flows_[index].promised;
  --sums_.records[flows_[index].level];
  update(flows_[index]);
}

void FleetFlows::promise_no_more(std::uint32_t index) {
  CHECK(flows_[index].promised > 0);
  --flows_[index].promised;
  ++sums_.records[flows_[index].level];
  update(flows_[index]);
}

// Whether it waits may be another by now.
void FleetFlows::update(Flow& flow) {
  const bool waits = flow.records > flow.promised;
  if (waits == flow.waits) return;
  flow.waits = waits;
  const auto index = static_cast<std::uint32_t>(&flow - flows_.data());
  if (!waits) {
    sums_.weights[flow.level] -= flow.weight;
    sums_.served[flow.level] -= static_cast<std::uint64_t>(flow.served);
    next_[flow.level].erase(index);
    return;
  }
  flow.served = asking_.time[flow.level] * flow.weight;
  sums_.weights[flow.level] += flow.weight;
  sums_.served[flow.level] += static_cast<std::uint64_t>(flow.served);
  next_[flow.level].set(index, done(flow));
  begins(index);
}

// Where it begins the next answer says, however many ask till then.
void FleetFlows::begins(std::uint32_t index) {
  Flow& flow = flows_[index];
  flow.known = false;
  if (!std::exchange(flow.remembered, true)) unknown_.push_back(index);
}

// REQUIRES: the flow waits.
void FleetFlows::set_served(std::uint32_t index, Served served) {
  Flow& flow = flows_[index];
  sums_.served[flow.level] += static_cast<std::uint64_t>(served - flow.served);
  flow.served = served;
  next_[flow.level].set(index, done(flow));
}

// More permits may be held than there are records, where some were withdrawn: those of one flow are
// nothing to the others, so this may count too few.
std::int64_t FleetFlows::waiting() const {
  const auto& records = sums_.records;
  return std::max<std::int64_t>(0,
                                std::accumulate(records.begin(), records.end(), std::int64_t{0}));
}

void FleetFlows::told_elsewhere(std::int64_t epoch, std::span<const std::int64_t> time) {
  if (epoch != asking_.epoch) begin_anew(epoch, time);
  asking_.time.assign(time.begin(), time.end());
}

// What tags are known is void: the limiter counts anew.
void FleetFlows::begin_anew(std::int64_t epoch, std::span<const std::int64_t> time) {
  asking_.epoch = epoch;
  asking_.time.assign(time.begin(), time.end());
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = flows_[i];
    if (!flow.waits) continue;
    set_served(i, asking_.time[flow.level] * flow.weight);
    begins(i);
  }
}

const AskingFlows& FleetFlows::ask(std::int64_t most, std::int64_t wish, const Sums& others) {
  listed_.clear();
  asking_.flows.clear();
  asking_.rest.clear();
  asking_.wish = wish;
  const auto waits = [](const auto& heap) { return !heap.empty(); };
  const auto levels = static_cast<std::size_t>(std::ranges::count_if(next_, waits));
  const std::size_t all =
      std::clamp<std::size_t>(2 * static_cast<std::size_t>(most), kLeastListed, kMostListed);
  for (std::uint8_t level = 0; level < options_.levels; ++level) {
    const std::size_t before = listed_.size();
    next_[level].least(std::max<std::size_t>(1, all / std::max<std::size_t>(1, levels)), listed_);
    std::int64_t weights = sums_.weights[level] + others.weights[level];
    std::int64_t records = others.records[level];
    std::uint64_t served = sums_.served[level] + others.served[level];
    std::int64_t unlisted = sums_.records[level];
    for (const std::uint32_t index : std::span(listed_).subspan(before)) {
      const Flow& flow = flows_[index];
      asking_.flows.push_back({flow.id, level, flow.weight, flow.records - flow.promised});
      if (flow.known && asking_.epoch != 0) asking_.flows.back().served = flow.served;
      weights -= flow.weight;
      served -= static_cast<std::uint64_t>(flow.served);
      unlisted -= flow.records - flow.promised;
    }
    records += std::clamp<std::int64_t>(unlisted, 0, wish);
    asking_.rest.push_back(
        rest_of(weights, served, weights > 0 ? records : 0, asking_.time[level]));
  }
  return asking_;
}

void FleetFlows::told(const ToldFlows& told) {
  if (told.epoch != asking_.epoch) begin_anew(told.epoch, told.time);
  asking_.time = told.time;
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    Flow& flow = flows_[listed_[i]];
    if (!flow.waits || told.epoch == 0) continue;
    flow.known = true;
    // It may have another weight by now than when it was asked for.
    set_served(listed_[i], under(flow.weight, told.served[i], asking_.flows[i].weight));
  }
  // Who has begun to wait since the last answer, and was not named, begins here.
  for (const std::uint32_t index : unknown_) {
    Flow& flow = flows_[index];
    flow.remembered = false;
    if (!flow.waits || flow.known) continue;
    flow.known = told.epoch != 0;
    set_served(index, asking_.time[flow.level] * flow.weight);
  }
  unknown_.clear();
}

void FleetFlows::check() const { CHECK(unknown_.size() <= flows_.size()); }

bool FleetFlows::is_behind(const Sums& others) const {
  for (std::uint8_t level = 0; level < options_.levels; ++level) {
    if (next_[level].empty()) continue;
    const Flow& first = flows_[next_[level].front()];
    const std::int64_t weights = sums_.weights[level] + others.weights[level];
    const std::uint64_t served = sums_.served[level] + others.served[level];
    const std::int64_t time = asking_.time[level];
    const auto begun = static_cast<std::uint64_t>(weights) * static_cast<std::uint64_t>(time);
    const std::int64_t all = floor_div(static_cast<Served>(served - begun), weights);
    return floor_div(first.served - time * first.weight, first.weight) <= all;
  }
  return false;
}

}  // namespace einlass::core
