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
  // Rounded up: or all that the ask names might be ahead of them.
  rest.served = -floor_div(-rest.served, weights) * kMostWeights;
  rest.weights = kMostWeights;
  return rest;
}

}  // namespace

FleetFlows::FleetFlows(const ShareOptions& options) : options_(options) {
  asking_.levels = options.levels;
  asking_.keep = options.keep;
  asking_.time.assign(options.levels, 0);
}

void FleetFlows::Waiting::erase(std::uint32_t flow) {
  due.erase(flow);
  ahead.erase(flow);
}

void FleetFlows::Waiting::list(std::size_t most, std::vector<std::uint32_t>& out) const {
  const std::size_t left = most - std::min(most, due.size());
  const std::size_t of_ahead = std::min(ahead.size(), std::max(left, most / 2));
  due.least(most - of_ahead, out);
  ahead.least(of_ahead, out);
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
    waiting_[flow.level].erase(index);
    return;
  }
  flow.served = asking_.time[flow.level] * flow.weight;
  sums_.weights[flow.level] += flow.weight;
  sums_.served[flow.level] += static_cast<std::uint64_t>(flow.served);
  waiting_[flow.level].ahead.set(index, floor_div(flow.served, flow.weight));
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
  waiting_[flow.level].due.erase(index);
  waiting_[flow.level].ahead.set(index, floor_div(served, flow.weight));
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
  const auto waits = [](const Waiting& level) { return !level.empty(); };
  const auto levels = static_cast<std::size_t>(std::ranges::count_if(waiting_, waits));
  const std::size_t all =
      std::clamp<std::size_t>(2 * static_cast<std::size_t>(most), kLeastListed, kMostListed);
  for (std::uint8_t level = 0; level < options_.levels; ++level) {
    const std::size_t before = listed_.size();
    sort(level, others);
    waiting_[level].list(std::max<std::size_t>(2, all / std::max<std::size_t>(1, levels)), listed_);
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

// Who is ahead of where all have come, these and the others, and who is not. What is due is looked
// at as far as the first that still is.
void FleetFlows::sort(std::uint8_t level, const Sums& others) {
  Waiting& waiting = waiting_[level];
  if (waiting.empty()) return;
  const std::int64_t weights = sums_.weights[level] + others.weights[level];
  const std::uint64_t served = sums_.served[level] + others.served[level];
  const std::int64_t time = asking_.time[level];
  const auto begun = static_cast<std::uint64_t>(weights) * static_cast<std::uint64_t>(time);
  const std::int64_t all = time + floor_div(static_cast<Served>(served - begun), weights);
  while (!waiting.ahead.empty() && waiting.ahead.front_key() <= all) {
    const std::uint32_t index = waiting.ahead.front();
    const Flow& flow = flows_[index];
    waiting.ahead.erase(index);
    waiting.due.set(index, floor_div(flow.served + kUnit, flow.weight));
  }
  while (!waiting.due.empty()) {
    const std::uint32_t index = waiting.due.front();
    const std::int64_t tag = floor_div(flows_[index].served, flows_[index].weight);
    if (tag <= all) return;
    waiting.due.erase(index);
    waiting.ahead.set(index, tag);
  }
}

bool FleetFlows::is_behind(const Sums& others) {
  const auto waits = [](const Waiting& level) { return !level.empty(); };
  const auto first = std::ranges::find_if(waiting_, waits);
  if (first == waiting_.end()) return false;
  sort(static_cast<std::uint8_t>(first - waiting_.begin()), others);
  return !first->due.empty();
}

}  // namespace einlass::core
