#include "adapters/redis/calls/holds.h"

#include <algorithm>
#include <chrono>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/wire/resp.h"
#include "lua/scripts.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Redis' milliseconds are rounded. What is less is no news.
constexpr milliseconds kNews{5};

// As http::kMaxRetryAfter, which is the most that a target's answer can ask for.
constexpr milliseconds kLongestHold = std::chrono::hours(1) + kNews;

}  // namespace

std::string holds_channel(std::string_view name_space) {
  std::string channel(name_space);
  return channel.append(":hold:{").append(name_space).append("}");
}

std::string hold_key(std::string_view name_space, std::string_view target) {
  return holds_channel(name_space).append(":").append(target);
}

Holds::Holds(std::string_view name_space, std::span<const SharedTarget> targets,
             core::Events& events)
    : events_(events) {
  append_bulk(head_, "EVAL");
  append_bulk(head_, lua::hold_script());
  append_number(head_, static_cast<std::int64_t>(targets.size()));
  for (const SharedTarget& target : targets) {
    holds_.push_back({.id = target.id, .key = hold_key(name_space, target.name)});
    append_bulk(head_, holds_.back().key);
  }
  append_bulk(channel_, holds_channel(name_space));
  if (any()) slot_ = hash_slot(holds_.front().key);
}

void Holds::tell(core::TargetId target, Duration length, Steady::time_point now) {
  for (Hold& hold : holds_) {
    if (hold.id != target) continue;
    hold.told = std::max(hold.told, now + microseconds(length.us));
    hold.known = std::max(hold.known, hold.told);
    hold.confirmed = false;
    news_ = true;
  }
}

void Holds::append_call(std::string& out, Steady::time_point now) {
  CHECK(!asking_);
  asking_ = true;
  asked_ = now;
  news_ = false;
  append_array(out, 4 + 2 * holds_.size());
  out.append(head_);
  for (Hold& hold : holds_) {
    hold.sent = hold.told;
    const auto left = std::chrono::ceil<milliseconds>(hold.told - now);
    append_number(out, hold.confirmed ? 0 : std::max<std::int64_t>(0, left.count()));
  }
  out.append(channel_);
}

void Holds::answered(std::span<const std::int64_t> left_ms, Steady::time_point now) {
  asking_ = false;
  if (left_ms.size() < holds_.size()) return;
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    Hold& hold = holds_[i];
    hold.confirmed |= hold.sent == hold.told;
    // More is nothing that a gate has written.
    if (left_ms[i] <= 0 || left_ms[i] > kLongestHold.count()) continue;
    // Redis looked at some time between the call and now: a hold that is known, told again by an
    // answer that took longer, must not seem to end later.
    const milliseconds left{left_ms[i]};
    if (asked_ + left <= hold.known + kNews) continue;
    hold.known = now + left;
    events_.push_back(core::TargetHold{hold.id, Duration::millis(left_ms[i])});
  }
}

}  // namespace einlass::redis
