// Where the asks of a trace are answered: by the arithmetic in this process, or by the scripts in a
// Redis. Both give the same answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/store_options.h"
#include "app/replay/replay_book.h"
#include "app/replay/replay_trace.h"
#include "limits/contract/limit.h"
#include "units/time.h"

namespace einlass::app {

// An ask that was granted is known for so long, to be answered again.
inline constexpr Duration kAskedAgainWithin = Duration::seconds(10);

struct ReplayAsk {
  std::uint64_t number = 0;  // What the permits' ids are made of.
  Instant at;
  std::int64_t min = 1;
  std::int64_t max = 1;
  Duration horizon;
  std::span<const std::string> keys;    // By the index of the limit.
  std::span<const std::int64_t> costs;  // Likewise; 0: that of each permit.
  std::span<const Permits> each{};      // Then: what each of `max` permits costs.
  const TraceShare* share = nullptr;    // Where flows share one of the limits.
  bool named = false;                   // It has an id, so it may be asked again.
  const Asked* again = nullptr;         // What it was granted at most kAskedAgainWithin ago.
};

// Some permits of an earlier ask go back, all of one cost.
struct ReplayReturn {
  Instant at;
  const Asked* asked = nullptr;
  std::span<const std::int64_t> costs;  // By the index of the limit.
  std::size_t first = 0;                // The permits from here on, ...
  std::size_t count = 0;                // ... so many, at least one.
  bool ended = false;                   // They were used, and what they were for is over.
};

struct ReplayAnswer {
  static constexpr std::int64_t kNever = -1;

  std::vector<Duration> due;       // Of each granted permit, after the ask.
  std::int64_t retry = 0;          // Of a denied ask: microseconds after it, or kNever.
  std::size_t reason = 0;          // Of a denied ask: the index of the limit.
  std::vector<Permits> remaining;  // By the index of the limit; of an acquire or a peek.
  std::int64_t returned = 0;       // Of a return: how many permits were known.
  // Of an acquire for flows. Its `retry` and `reason` are told where it was granted in part too.
  std::optional<ToldFlows> share{};
};

// The limits of a replay, in their order. Their parameters change as the trace says.
using ReplayLimits = std::vector<limits::Limit>;

// Such a limit as it is for a key, by its index; null where its own parameters hold.
using ReplayOfKey =
    std::function<std::shared_ptr<const limits::Limit>(std::size_t limit, std::string_view key)>;

class ReplayStore {
 public:
  // Gets the answers, in the order of what was asked; may be called at once.
  using Take = std::function<void(const ReplayAnswer&)>;

  virtual ~ReplayStore() = default;

  virtual void acquire(const ReplayAsk& ask) = 0;
  virtual void give_back(const ReplayReturn& permits) = 0;
  virtual void peek(Instant at, std::span<const std::string> keys) = 0;

  // Another value stands in the parameters of a limit. REQUIRES: everything is settled.
  virtual void limits_changed() {}

  // Waits until everything asked so far is answered. False, with a sentence in trouble(), if the
  // store cannot answer any more.
  virtual bool settle() { return true; }
  virtual std::string trouble() const { return ""; }

  // Leaves nothing behind; what could not be cleaned up, as a sentence.
  virtual std::string close() { return ""; }
};

// REQUIRES: `limits` outlives the store and stays where it is.
std::unique_ptr<ReplayStore> memory_replay(const ReplayLimits& limits, ReplayOfKey of_key,
                                           ReplayStore::Take take);

// All keys begin with the options' namespace and are deleted at the end. Null, with a sentence in
// `trouble`, if the server cannot be reached. REQUIRES: as above.
std::unique_ptr<ReplayStore> redis_replay(redis::StoreOptions options, const ReplayLimits& limits,
                                          ReplayOfKey of_key, ReplayStore::Take take,
                                          std::string& trouble);

}  // namespace einlass::app
