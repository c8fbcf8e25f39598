// Limits of this process alone: the arithmetic of src/limits on a table of buckets that all shards
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "adapters/memory/table.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "limits/contract/limit.h"
#include "units/time.h"

namespace einlass::memory {

// One bucket of a line: a limit and the key taken from the record (empty for a limit without key).
struct Bucket {
  const limits::Limit* limit = nullptr;  // Outlives the table; changes only by Table::change().
  std::string key;
  Buckets::Value value{};  // What holds for this key instead of the limit's own parameters.
};

struct StoreStatus {
  std::uint64_t granted = 0, denied = 0;  // Calls of this store, by their result.
  std::size_t buckets = 0;                // In the table now; one that is full again leaves.
};

// What one shard asks of the table: it has lines and asks of its own. REQUIRES: one thread.
// Outlived by `events` and `table`.
class Store {
 public:
  Store(core::Events& events, Table& table);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void add_line(core::LineId line, std::span<const Bucket> buckets);
  void forget_line(core::LineId line);

  // What the line's limits cost, or allow for its keys, may have been changed: it goes by that from
  // here on. REQUIRES: the same limits and keys.
  void change_line(core::LineId line, std::span<const Bucket> buckets);

  // Answers at once, by an event; with PermitsFailed while the line is still to be told that what
  // its limits cost has been changed. `now` is the limiter's clock here.
  void ask(const core::Ask& ask, Instant now);

  // The permit was not used. Those that come one after the other, as they were granted, are taken
  // back together: with the next ask of this store at the latest, or as sweep() is called.
  void release(const core::Release& release, Instant now);

  // The attempt that the permit was for has ended: what limits concurrency holds it no longer.
  void ended(const core::Ended& ended, Instant now);

  // Takes back what was given back, and forgets some of the buckets that no line uses and that are
  // full again; as every ask does too.
  void sweep(Instant now);

  StoreStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::memory
