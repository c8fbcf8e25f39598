// What a gate of a fleet asks for permits, in time that is handed in: the store of this process, or
// the scripts on a real Redis. All gates of one fleet ask the same buckets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "adapters/memory/store.h"
#include "adapters/memory/table.h"
#include "conformance/both_stores.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "limits/contract/limit.h"

namespace einlass::conformance {

// REQUIRES everywhere: a time that never falls; the commands of line 0.
class GateLimiter {
 public:
  virtual ~GateLimiter() = default;

  // What the answer points to lives until the next ask.
  virtual core::PermitsAnswered ask(const core::Ask& ask, Instant now) = 0;
  virtual void release(const core::Release& release, Instant now) = 0;
  virtual void ended(const core::Ended& ended, Instant now) = 0;
};

// Outlived by the table and the limits.
class MemoryLimiter final : public GateLimiter {
 public:
  MemoryLimiter(memory::Table& table, std::span<const limits::Limit> limits);
  core::PermitsAnswered ask(const core::Ask& ask, Instant now) override;
  void release(const core::Release& release, Instant now) override;
  void ended(const core::Ended& ended, Instant now) override;

 private:
  core::Events events_;
  memory::Store store_;
};

// Outlived by `side` and the limits. No two gates of a fleet have the same number.
class RedisLimiter final : public GateLimiter {
 public:
  RedisLimiter(RedisSide& side, std::uint64_t gate, std::span<const limits::Limit> limits);
  core::PermitsAnswered ask(const core::Ask& ask, Instant now) override;
  void release(const core::Release& release, Instant now) override;
  void ended(const core::Ended& ended, Instant now) override;

 private:
  limits::Returned returned(const core::Permit& permit) const;
  std::uint64_t number_of(core::AskId ask) const { return gate_ << 56 | ask.value; }

  RedisSide& side_;
  std::uint64_t gate_;
  Duration ahead_;
  bool counts_held_ = false;
  std::vector<Duration> due_;
};

}  // namespace einlass::conformance
