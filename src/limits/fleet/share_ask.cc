#include "limits/fleet/share_ask.h"

#include <utility>

#include "units/check.h"

namespace einlass::limits {
namespace {

constexpr std::int64_t kUnit = FleetShare::kUnit;
constexpr std::int64_t kWhole = 100;  // Of a level's credit: a unit.

// Flows that are looked at after each ask, whether they may be forgotten.
constexpr std::size_t kLookedAt = 4;

// Beyond so many that are remembered all begins anew. They are more only where most come once: then
// a level's time stands nearly still, and nobody is as good as unknown.
constexpr std::size_t kMostFlows = 100'000;

// Rounded down. REQUIRES: b > 0.
std::int64_t floor_div(__int128 a, std::int64_t b) {
  const __int128 quotient = a / b;
  return static_cast<std::int64_t>(quotient - (a % b < 0 ? 1 : 0));
}

// How far it has been served, under another weight.
Served scaled(Served served, std::int64_t from, std::int64_t to) {
  if (from == to) return served;
  const std::int64_t whole = floor_div(served, from);
  return whole * to + floor_div((served - whole * from) * to, from);
}

}  // namespace

std::int64_t ShareAsk::Flow::tag() const { return floor_div(served, weight); }

ShareAsk::ShareAsk(FleetShare& share, const ShareDemand& demand, Permits cost, Instant now)
    : share_(share), demand_(demand), of_(*demand.of), cost_(cost.value), now_(now) {
  CHECK(of_.levels >= 1 && of_.levels <= kMostShareLevels);
  CHECK(of_.time.size() == of_.levels && of_.rest.size() == of_.levels);
  fresh_ = !share.serves(demand.gate, of_.levels, now);
  if (!fresh_) {
    time_ = share.time_;
    credit_ = share.credit_;
    for (const FleetShare::Gate& gate : share.gates_) {
      if (gate.id == demand.gate) own_ = gate;
    }
  }
  // What a gate says of its flows' tags holds while it is remembered: it has heard of them since.
  remember_own(own_ && own_->until > now && of_.epoch == share.epoch_);
  look_at_others();
}

void ShareAsk::remember_own(bool claims) {
  flows_.reserve(of_.flows.size());
  for (const AskingFlow& said : of_.flows) {
    CHECK(said.level < of_.levels && said.weight >= 1);
    const Served begin = time_[said.level] * said.weight;
    Served served = claims && said.served ? *said.served : begin;
    const FleetShare::FlowKey key{said.level, said.id};
    const FleetShare::Flow* known = fresh_ ? nullptr : share_.known(key, Permits{cost_});
    if (known) served = std::max(served, scaled(known->served, known->weight, said.weight));
    flows_.push_back(
        {key, said.weight, said.records, served - begin, served - begin, known ? known->slots : 0});
    Level& level = levels_[said.level];
    if (!flows_.back().waits()) continue;
    level.weights += said.weight;
    level.served += served - begin;
    ++level.waiting;
  }
  for (std::uint8_t i = 0; i < of_.levels; ++i) {
    rest_[i] = of_.rest[i];
    const Served moved = rest_[i].weights * (time_[i] - of_.time[i]);
    rest_[i].served = claims ? rest_[i].served - moved : 0;
    rest_[i].wanted *= cost_;
    levels_[i].weights += rest_[i].weights;
    levels_[i].served += rest_[i].served;
  }
}

void ShareAsk::look_at_others() {
  if (fresh_) return;
  for (const FleetShare::Gate& gate : share_.gates_) {
    if (gate.id == demand_.gate || !gate.waits(now_)) continue;
    others_.push_back(gate);
  }
}

// What others might take soon of that level, in units.
std::int64_t ShareAsk::wanted(std::uint8_t level, Instant at, bool of_gate) const {
  std::int64_t units = of_gate ? rest_[level].wanted : 0;
  for (const FleetShare::Gate& gate : others_) {
    if (gate.until > at) units += gate.sums[level].wanted;
  }
  return units;
}

bool ShareAsk::waited_for(std::uint8_t level, Instant at) const {
  return levels_[level].waiting > 0 || wanted(level, at, true) > 0;
}

// REQUIRES: somebody waits.
std::uint8_t ShareAsk::top(Instant at) const {
  std::uint8_t level = 0;
  while (!waited_for(level, at)) ++level;
  return level;
}

bool ShareAsk::due_by_credit(std::uint8_t level, Instant at) const {
  return level > 0 && credit_[level] >= kWhole && level > top(at);
}

std::optional<std::size_t> ShareAsk::next(Instant at) const {
  std::optional<std::uint8_t> level;
  for (std::uint8_t i = 0; i < of_.levels; ++i) {
    if (levels_[i].waiting == 0) continue;
    const bool due = due_by_credit(i, at);
    const bool better =
        level && due && (!due_by_credit(*level, at) || credit_[i] > credit_[*level]);
    if (!level || better) level = i;
  }
  if (!level) return std::nullopt;
  const std::int64_t own = floor_div(levels_[*level].served, levels_[*level].weights);
  std::optional<std::size_t> next, least;
  std::int64_t next_done = 0, least_tag = 0;
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const Flow& flow = flows_[i];
    if (flow.key.first != *level || !flow.waits()) continue;
    const std::int64_t tag = flow.tag();
    const std::int64_t done = floor_div(flow.served + kUnit * cost_, flow.weight);
    if (!least || tag < least_tag) least = i, least_tag = tag;
    if (tag <= own && (!next || done < next_done)) next = i, next_done = done;
  }
  return next ? next : least;
}

// What flows of the same level are short of, in thousandths of a unit. Of other gates: of the level
// that this one has come to, all together, so that the gate that is furthest behind is held up by
// none. Of this one, those that are not in the ask: of what the flow has, if it is ahead of that
// level. Then with another ask one of them may be next.
std::int64_t ShareAsk::short_of_level(std::size_t i, Instant at, bool of_gate) const {
  const Flow& flow = flows_[i];
  const std::uint8_t at_level = flow.key.first;
  const Level& own = levels_[at_level];
  const auto short_of = [](const WaitingFlows& waiting, Served served, std::int64_t weights) {
    const std::int64_t there =
        floor_div(static_cast<__int128>(waiting.weights) * served, weights) - waiting.served;
    return std::clamp<std::int64_t>(there, 0, waiting.wanted * kUnit);
  };
  std::int64_t sum = 0;
  for (const FleetShare::Gate& gate : others_) {
    const WaitingFlows& waiting = gate.sums[at_level];
    if (gate.until <= at || waiting.weights <= 0) continue;
    sum += short_of(waiting, own.served, own.weights);
  }
  const bool ahead = flow.tag() > floor_div(own.served, own.weights);
  if (of_gate && ahead && rest_[at_level].weights > 0) {
    sum += short_of(rest_[at_level], flow.served, flow.weight);
  }
  return sum;
}

std::int64_t ShareAsk::left_for_others(std::size_t flow, Instant at, bool of_gate) const {
  const std::uint8_t level = flows_[flow].key.first;
  std::int64_t units = 0;
  if (!due_by_credit(level, at)) {
    for (std::uint8_t above = 0; above < level; ++above) units += wanted(above, at, of_gate);
  }
  for (std::uint8_t below = level + 1; below < of_.levels; ++below) {
    const std::int64_t earned = std::max<std::int64_t>(0, floor_div(credit_[below], kWhole));
    units += std::min(earned, wanted(below, at, of_gate));
  }
  return units + short_of_level(flow, at, of_gate) / kUnit;
}

// Of a permit for that level those below the first that waits earn a part. One that goes before
// others for what it has earned pays for it. Who is given what others leave pays with what it has
// and owes nothing, or it would get less than its part once they leave nothing any more.
void ShareAsk::charge(std::uint8_t taken) {
  const std::uint8_t first = top(now_);
  const bool due = due_by_credit(taken, now_);
  for (std::uint8_t below = first + 1; below < of_.levels; ++below) {
    if (waited_for(below, now_)) credit_[below] += of_.keep * cost_;
  }
  if (taken == first) return;
  const std::int64_t left = credit_[taken] - kWhole * cost_;
  credit_[taken] = due ? left : std::max(left, std::min<std::int64_t>(credit_[taken], 0));
}

void ShareAsk::take(std::size_t i) {
  Flow& flow = flows_[i];
  const std::uint8_t level = flow.key.first;
  charge(level);
  flow.served += kUnit * cost_;
  levels_[level].served += kUnit * cost_;
  ++flow.granted;
  for (FleetShare::Gate& gate : others_) {
    if (gate.has(flow.slots)) gate.sums[level].served += kUnit * cost_;
  }
  if (flow.waits()) return;
  levels_[level].weights -= flow.weight;
  levels_[level].served -= flow.served;
  --levels_[level].waiting;
}

void ShareAsk::tell(ToldFlows& answer) const {
  answer.held_up = HeldUp::no;
  answer.epoch = fresh_ ? 0 : share_.epoch_;
  answer.time.assign(time_.begin(), time_.begin() + of_.levels);
  answer.served.clear();
  for (const Flow& flow : flows_) {
    answer.served.push_back(flow.served + time_[flow.key.first] * flow.weight);
  }
}

void ShareAsk::end(std::optional<Duration> retry, bool waits_here, ToldFlows& answer) {
  if (fresh_) {
    share_ = {};
    share_.epoch_ = now_.us;
    share_.levels_ = of_.levels;
  }
  share_.credit_ = credit_;
  const FleetShare::Gate own = record(retry, waits_here);
  std::erase_if(share_.gates_, [&](const auto& gate) { return gate.id == demand_.gate; });
  const std::size_t known = share_.flows_.size();
  write_flows(own, waits_here, answer);
  const std::size_t added = share_.flows_.size() - known;
  share_.gates_.push_back(own);
  const auto waits = [this](const FleetShare::Gate& gate) { return gate.waits(now_); };
  if (std::none_of(share_.gates_.begin(), share_.gates_.end(), waits)) {
    share_ = {};
  } else {
    move_time();
    // Twice as many as came, or what is remembered would grow without a bound.
    share_.forget_some(Permits{cost_}, kLookedAt + 2 * added);
    if (share_.flows_.size() > kMostFlows) share_ = {};
  }
  answer.epoch = share_.epoch_;
  answer.time.assign(share_.time_.begin(), share_.time_.begin() + of_.levels);
}

// What is remembered of this gate.
FleetShare::Gate ShareAsk::record(std::optional<Duration> retry, bool waits_here) {
  std::optional<std::uint8_t> slot = own_ ? own_->slot : std::nullopt;
  if (!own_ && share_.slots_ < FleetShare::kMostSlots) slot = share_.slots_++;
  FleetShare::Gate gate{demand_.gate, slot, now_ + retry.value_or(Duration{}) + demand_.idle_after};
  std::int64_t left = of_.wish;
  for (const Flow& flow : flows_) left -= flow.granted;
  for (std::uint8_t i = 0; i < of_.levels; ++i) {
    WaitingFlows& sums = gate.sums[i];
    std::int64_t records = 0;
    for (const Flow& flow : flows_) {
      if (flow.key.first == i && waits_here) records += flow.records - flow.granted;
    }
    const std::int64_t wanted = std::min(std::max<std::int64_t>(0, left), records) * cost_;
    if (wanted > 0) {
      sums = {levels_[i].weights, levels_[i].served, rest_[i].wanted + wanted};
    } else if (rest_[i].wanted > 0) {
      sums = rest_[i];
    }
  }
  return gate;
}

void ShareAsk::write_flows(const FleetShare::Gate& own, bool waits_here, ToldFlows& answer) {
  answer.served.clear();
  for (const Flow& flow : flows_) {
    const std::uint8_t level = flow.key.first;
    const FleetShare::Flow* known = share_.known(flow.key, Permits{cost_});
    FleetShare::Flow written{flow.served + time_[level] * flow.weight, flow.weight,
                             known ? known->slots : 0};
    for (FleetShare::Gate& gate : share_.gates_) {
      if (gate.has(written.slots)) gate.sums[level].served += flow.served - flow.before;
    }
    if (own.slot) {
      const std::uint32_t bit = std::uint32_t{1} << *own.slot;
      written.slots = waits_here && flow.waits() ? written.slots | bit : written.slots & ~bit;
    }
    share_.flows_[flow.key] = written;
    answer.served.push_back(written.served);
  }
}

// How far a flow of the ask has been served, of those of that level the furthest.
std::int64_t ShareAsk::furthest(std::uint8_t level) const {
  std::int64_t furthest = 0;
  for (const Flow& flow : flows_) {
    if (flow.key.first == level) furthest = std::max(furthest, flow.tag());
  }
  return furthest;
}

// Each level's time goes on to where the flows that wait have come, all together. Where nobody
// waits any more it goes on as far as any was served: what one was given while there was enough for
// all is not held against it, as it is not where nobody waits in any level.
void ShareAsk::move_time() {
  for (std::uint8_t i = 0; i < of_.levels; ++i) {
    WaitingFlows all;
    for (const FleetShare::Gate& gate : share_.gates_) {
      if (!gate.waits(now_)) continue;
      all.weights += gate.sums[i].weights;
      all.served += gate.sums[i].served;
      all.wanted += gate.sums[i].wanted;
    }
    const bool nobody = all.wanted == 0 && levels_[i].waiting == 0;
    if (nobody) share_.credit_[i] = 0;
    std::int64_t on = nobody ? furthest(i) : 0;
    if (all.weights > 0) on = std::max(on, floor_div(all.served, all.weights));
    share_.time_[i] += on;
    for (FleetShare::Gate& gate : share_.gates_) gate.sums[i].served -= gate.sums[i].weights * on;
  }
}

}  // namespace einlass::limits
