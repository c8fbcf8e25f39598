// What a shard delivers to: one of the kinds of targets, as the loop and the admin pages see it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kafka/client/group_offsets.h"
#include "app/record/record_store.h"
#include "config/config.h"
#include "core/command.h"
#include "core/ids.h"
#include "units/check.h"

namespace einlass::app {

// What the metrics and /v1/status show of a target.
struct TargetStatus {
  std::size_t in_flight = 0;
  std::size_t connections = 0;
  std::string trouble;    // Why the last attempt failed; empty since one was accepted.
  std::string unusable;   // Why it can take nothing before somebody acts, as "the topic results is
                          // not there"; empty if nothing says so. The gate is not ready then.
  std::string warning{};  // What works, but not as it should; empty: nothing.
};

// Told of each attempt that was not accepted, before its event: the status (0 where there was no
// answer, or where a kind of target has none) and the reason.
using AttemptFailed =
    std::function<void(core::RecordId record, unsigned status, std::string_view reason)>;

// REQUIRES: used on the shard's thread; outlived by what it was made with.
class Target {
 public:
  virtual ~Target() = default;

  // From here on records may come; what is to be done before them begins. Called once.
  virtual void start(core::TargetId) {}

  // Starts an attempt, and copies what it needs of the record. Ends as core::DeliveryEnded, exactly
  // one. `limited` says whether the permit is a real one.
  // REQUIRES: fewer than the target's max_in_flight are open.
  virtual void send(const StoredRecord& record, const core::Send& send, bool limited) = 0;

  // Ends the transaction that the records sent since the last one are in: `ended` hears of it, and
  // then their attempts end. Without offsets it comes to nothing. REQUIRES: it is transactional.
  virtual void transact(std::optional<kafka::GroupOffsets>,
                        std::function<void(kafka::TransactionEnd)>) {
    CHECK(false);
  }

  // Goes on under other settings, where no other target was made for them.
  virtual void reconfigure(const config::Target&) {}

  virtual TargetStatus status() const = 0;
};

}  // namespace einlass::app
