// Which limits have other numbers than their own: for some of their keys those of the file
// (`overrides`), and the quotas that are set while the gate runs; for the rest those of their
// `schedule`. A quota of a key goes before the file's, and both go before the schedule's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "app/permits/known_quota.h"
#include "config/model/config.h"
#include "config/model/patterns.h"
#include "limits/contract/limit.h"
#include "units/time.h"

namespace einlass::app {

// One for the process, for any thread. Shards look here when a line is made, and again at their
// lines once version() has risen; for a record only where that is the first of its line.
//
// Limits go by their index in the configuration, those that keep a burst too. 100,000 quotas take
// 30 MB with the entries that they were read from (Steering); a key that is in use takes a limit's
// object more, one for all with the same numbers.
class LimitValues {
 public:
  using Found = std::shared_ptr<const limits::Limit>;

  explicit LimitValues(const config::Config& config);
  ~LimitValues();
  LimitValues(const LimitValues&) = delete;
  LimitValues& operator=(const LimitValues&) = delete;

  // The limit as it is for that key of a bucket, empty where it has none; null where its own
  // numbers hold. The same object for the same numbers while somebody has it, until reconfigure()
  // has changed the limit.
  Found find(std::size_t limit, std::string_view key) const;

  // The quota of one key, as people write it, from here on; none takes it away. How many there may
  // be is for the caller to bound. REQUIRES: a quota read by config::read_value() for that limit,
  // which is no pace.
  void set(std::size_t limit, std::string_view written,
           const std::optional<config::LimitValue>& quota);

  // What a limit's schedule says of now.
  struct Scheduled {
    std::string span;        // As it is written; empty between two.
    Instant until = kNever;  // By the system's clock.
    Found value;             // The limit during the span; null between two.
  };

  // From here on; of `value` and `span` either both or none. REQUIRES: read for that limit, which
  // is no pace.
  void schedule(std::size_t limit, const std::string& span, Instant until,
                const std::optional<config::LimitValue>& value);

  // It has no schedule any more.
  void unschedule(std::size_t limit);

  // None of a limit without a schedule. Of one that keeps a burst: what is said of its limit.
  std::optional<Scheduled> scheduled(std::size_t limit) const;

  // The file's overrides anew, and what else a limit says. Quotas and what is scheduled stay as
  // they were read: whoever sets them reads them again under the new configuration. REQUIRES: the
  // same limits in the same order and forms.
  void reconfigure(const config::Config& config);

  // Rises with each change of what find() may say.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // How many quotas are set, without the file's overrides.
  std::size_t size() const;

  // Calls `changed` after each change, for as long as the watch lives, on the thread that made the
  // change and under the lock: it must be quick, and call nothing of this. REQUIRES: it does not
  // outlive `values`.
  class Watch {
   public:
    Watch(LimitValues& values, std::function<void()> changed);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class LimitValues;
    LimitValues& values_;
    const std::function<void()> changed_;
  };

 private:
  // The same numbers once, for as long as somebody has them.
  class Shared {
   public:
    // `of` with these parameters. REQUIRES: `of` is the same but for them each time.
    Found get(const limits::Limit& of, const limits::Parameters& parameters);

   private:
    std::unordered_multimap<std::size_t, std::weak_ptr<const limits::Limit>> by_hash_;
    std::size_t sweep_at_ = 64;  // When it has grown so far, what nobody has any more leaves.
  };
  struct Schedule {
    std::string span;
    Instant until;
    std::optional<config::LimitValue> value;
  };
  struct Limit {
    limits::Limit own;
    std::optional<std::size_t> paced_by;
    std::optional<std::size_t> pace_of;  // Of which one it is the pace.
    std::unordered_set<KnownQuota, KnownQuota::Hash, KnownQuota::SameKey> quotas;
    config::Patterns<config::LimitValue> overrides;
    std::optional<Schedule> schedule;
    mutable Shared shared;
  };

  Found made(const Limit& limit, const config::LimitValue& value) const;  // Under the lock.
  void changed();

  mutable std::mutex mutex_;
  std::vector<Limit> limits_;
  std::size_t quotas_ = 0;
  std::vector<const Watch*> watches_;
  std::atomic<bool> any_ = false;  // Some limit has some value, for some key or at some time.
  std::atomic<std::uint64_t> version_ = 0;
};

}  // namespace einlass::app
