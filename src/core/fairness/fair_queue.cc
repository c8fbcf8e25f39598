#include "core/fairness/fair_queue.h"

#include <algorithm>

#include "units/check.h"

namespace einlass::core {
namespace {

// One unit, at weight 1, in virtual time.
constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;

}  // namespace

// Puts one that is ready where it belongs.
void FairQueue::put(std::uint32_t index) {
  const Member& member = members_[index];
  if (time_ < member.served) {
    eligible_.erase(index);
    ahead_.set(index, member.served);
  } else {
    ahead_.erase(index);
    eligible_.set(index, VirtualTime{member.served.value + kUnit / member.weight});
  }
}

// While somebody is ready, somebody is eligible.
void FairQueue::go_on() {
  if (eligible_.empty() && !ahead_.empty()) time_ = std::max(time_, ahead_.front_key());
  while (!ahead_.empty() && !(time_ < ahead_.front_key())) put(ahead_.front());
}

void FairQueue::join(std::uint32_t index, std::uint32_t weight) {
  CHECK(weight >= 1 && weight <= kMostWeight);
  if (index >= members_.size()) members_.resize(index + 1);
  Member& member = members_[index];
  if (member.ready && member.weight == weight) return;
  if (member.ready) {
    ready_weights_ -= member.weight;
  } else {
    member.ready = true;
    remembered_.erase(index);
    member.served = member.known ? std::max(member.served, time_) : time_;
    member.known = true;
  }
  if (member.weight != weight) member.rest = 0;
  member.weight = weight;
  ready_weights_ += weight;
  put(index);
  go_on();
}

void FairQueue::leave(std::uint32_t index) {
  Member& member = members_[index];
  CHECK(member.ready);
  member.ready = false;
  ready_weights_ -= member.weight;
  eligible_.erase(index);
  ahead_.erase(index);
  remembered_.set(index, member.served);
  // When nobody waits nobody has been kept waiting: what was taken till now counts no more.
  if (empty()) time_ = std::max(time_, most_served_);
  go_on();
}

void FairQueue::charge(std::uint32_t index, std::int64_t amount) {
  Member& member = members_[index];
  CHECK(member.ready && amount >= 1);
  const std::uint64_t units = static_cast<std::uint64_t>(amount) * kUnit;
  const std::uint64_t to_divide = units + member.rest;
  member.served.value += to_divide / member.weight;
  member.rest = static_cast<std::uint32_t>(to_divide % member.weight);
  most_served_ = std::max(most_served_, member.served);
  time_.value += units / ready_weights_;
  put(index);
  go_on();
}

void FairQueue::candidates(std::size_t most, std::vector<std::uint32_t>& out) const {
  const std::size_t had = out.size();
  eligible_.least(most, out);
  ahead_.least(most - (out.size() - had), out);
}

VirtualTime FairQueue::done_with(std::uint32_t index, std::int64_t amount) const {
  const Member& member = members_[index];
  return {member.served.value + static_cast<std::uint64_t>(amount) * kUnit / member.weight};
}

void FairQueue::remember(std::uint32_t index) {
  remembered_.set(index, VirtualTime{time_.value + kUnit});
}

std::optional<std::uint32_t> FairQueue::take_forgotten() {
  if (remembered_.empty() || time_ < remembered_.front_key()) return std::nullopt;
  const std::uint32_t index = remembered_.front();
  remembered_.erase(index);
  members_[index] = Member{};
  return index;
}

}  // namespace einlass::core
