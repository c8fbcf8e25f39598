// A target's circuit breaker: after too many failures in a row the target is left alone for a
// while, and then asked by one attempt at a time whether it is well again.
//
//   closed -- failures in a row --> open -- wait is over --> probing -- answered --> closed
//                                     ^                         |
//                                     +--------- failed --------+   waiting twice as long
//
// An attempt failed if it is to be made again; accepted and refused are both the answer of a server
// that works.
#pragma once

#include <cstdint>
#include <optional>

#include "core/event.h"
#include "core/ids.h"
#include "core/options.h"
#include "units/time.h"

namespace einlass::core {

enum class BreakerState : std::uint8_t { closed, open, probing };

class Breaker {
 public:
  explicit Breaker(const BreakerOptions& options) : options_(options) {}

  // Other numbers from here on; while it is open it waits as it did.
  void set_options(const BreakerOptions& options) { options_ = options; }

  bool closed() const { return closed_; }
  BreakerState state(Instant now) const;

  // Nothing is sent before this instant. In the past while it is closed.
  Instant open_until() const { return open_until_; }

  // Whether an attempt may start now.
  bool lets_through(Instant now) const { return closed_ || (!probe_ && now >= open_until_); }

  // An attempt starts. REQUIRES: lets_through().
  void sent(RecordId record) {
    if (!closed_) probe_ = record;
  }

  // An attempt that began at `began` has ended.
  void ended(RecordId record, Instant began, Outcome outcome, Instant now) {
    if (outcome == Outcome::retry) return failed(record, began, now);
    failures_ = 0;
    if (!closed_) close();
  }

  // An attempt has ended without asking the target: another may be the probe.
  void not_asked(RecordId record) {
    if (probe_ == record) probe_.reset();
  }

  // The record whose attempt was the last probe and failed: where there is another, the next probe
  // is for that one, or a single bad record could keep the target shut. None while it is closed.
  std::optional<RecordId> last_failed() const { return last_failed_; }

 private:
  void failed(RecordId record, Instant began, Instant now);
  void open(Duration wait, Instant now);
  void close();

  BreakerOptions options_;
  bool closed_ = true;
  std::uint32_t failures_ = 0;  // In a row, while closed.
  Duration wait_;               // Of the last time it opened.
  Instant opened_{-1};          // The last time.
  Instant open_until_;
  std::optional<RecordId> probe_;  // Under way.
  std::optional<RecordId> last_failed_;
};

}  // namespace einlass::core
