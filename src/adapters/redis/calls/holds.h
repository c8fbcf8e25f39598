// Targets that are to be left alone, as the whole fleet knows it: one key a target, which lives as
// long as the hold. One small call for all of them reads and writes; nothing is lost with one that
// fails, for the next one says the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/calls/open_calls.h"
#include "adapters/redis/client/store_options.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/time.h"

namespace einlass::redis {

// How often they are looked at where a gate hears of no news, and at most. Where it listens, a look
// a second finds what nobody has published, as a hold that was set by hand.
inline constexpr std::chrono::milliseconds kHoldsPeriod{50}, kHoldsPeriodOfListeners{1'000};

// The key of a target's hold: `<namespace>:hold:{<namespace>}:<target>`. No bucket begins so. All
// holds of a namespace are in one slot of a cluster.
std::string hold_key(std::string_view name_space, std::string_view target);

// The channel on which it is published that a hold has begun, or got longer by what matters.
std::string holds_channel(std::string_view name_space);

class Holds {
 public:
  Holds(std::string_view name_space, std::span<const SharedTarget> targets, core::Events& events);

  bool any() const { return !holds_.empty(); }
  std::uint16_t slot() const { return slot_; }

  // This gate was told by the target to leave it alone for so long. Nothing for one that is not
  // shared.
  void tell(core::TargetId target, Duration length, Steady::time_point now);

  // Whether a call was made and not answered.
  bool asking() const { return asking_; }

  // Whether this gate was told something since the last call.
  bool has_news() const { return news_; }

  // Appends the call. REQUIRES: not asking().
  void append_call(std::string& out, Steady::time_point now);

  // The answer to the call, in milliseconds for each target; empty where there was none. What is
  // new becomes events. One number more says that this gate may not publish.
  void answered(std::span<const std::int64_t> left_ms, Steady::time_point now);

 private:
  struct Hold {
    core::TargetId id;
    std::string key;
    Steady::time_point told{};   // This gate was told that it lasts until then.
    Steady::time_point known{};  // The gate knows of a hold until then.
    Steady::time_point sent{};   // What the open call says.
    bool confirmed = true;       // Redis knows what this gate was told.
  };

  core::Events& events_;
  std::vector<Hold> holds_;
  std::string head_;     // Of the call: its name, the script and the keys.
  std::string channel_;  // Its last argument.
  std::uint16_t slot_ = 0;
  Steady::time_point asked_{};  // When the open call was made.
  bool asking_ = false;
  bool news_ = false;
};

}  // namespace einlass::redis
