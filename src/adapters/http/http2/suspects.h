// The records of one target over which a server may have ended a connection of HTTP/2, whichever of
// the target's servers it was: each is sent alone until it is answered, or found to be the one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/contract/ids.h"

namespace einlass::http {

// REQUIRES: used on one thread.
class Suspects {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  // More than these are not kept: any other is forgotten then. It is what 64 requests of 1,000
  // records have.
  static constexpr std::size_t kMost = 65'536;

  bool none() const { return by_slot_.empty(); }
  bool has(core::RecordId record) const;

  // It was on a connection, with others, that was ended for a reason, or cut.
  void add(core::RecordId record) { of(record); }
  void forget(core::RecordId record);

  // A connection was ended that it had alone. Whether it is to blame: that has happened before, and
  // since then this server has answered others, the last of them at `answered_others`.
  bool ends_its_own(core::RecordId record, SteadyTime answered_others, SteadyTime now);

 private:
  struct Suspect {
    core::RecordId record;
    bool has_ended_its_own = false;
    SteadyTime first_end;  // Of a connection of its own.
  };

  Suspect& of(core::RecordId record);

  std::unordered_map<std::uint32_t, Suspect> by_slot_;
};

}  // namespace einlass::http
