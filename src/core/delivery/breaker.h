// A target's circuit breaker: after too many failures in a row the target is left alone, and asked
// by one attempt at a time whether it is well.
//
//   closed -- failures in a row --> probing -- answered --> closed
//                                    |   ^
//                                    v   | the wait is over
//                                    open
//
// Accepted and refused are the answers of a server that works, so an attempt failed if it is to be
// made again. Not each failure is the target's:
// - No answer came: after so many in a row, and nothing else heard of it for `silence`, there may
//   be nobody who answers.
// - It answered that it failed. It may have failed for the record's sake, and records like that
//   come together: only if the row has lasted for kAnswersAlone is the target not well.
// - The record had failed before, and others were answered since: its trouble is its own.
//
// The first probe goes at once, the next ones after `wait` each, which is doubled after each three
// different records that failed as probes: one that fails alone says little of the target.
// A target that answers is asked again within kMostAfterAnswer, whatever the wait: to answer that
// it fails costs it little, and good records may have come meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "core/contract/options.h"
#include "units/time.h"

namespace einlass::core {

enum class BreakerState : std::uint8_t { closed, open, probing };

class Breaker {
 public:
  static constexpr Duration kAnswersAlone = Duration::seconds(1);
  static constexpr Duration kMostAfterAnswer = Duration::seconds(1);
  static constexpr std::uint32_t kProbesEachWait = 3;  // Of different records.

  // What is known of an attempt that has ended.
  struct Ended {
    RecordId record;
    Instant began;
    Instant failed_before = kNever;  // When the record's last attempt before this one failed.
    Outcome outcome = Outcome::accepted;
    bool answered = false;  // Only looked at where it failed: by an answer of the target's.
  };

  explicit Breaker(const BreakerOptions& options) : options_(options) {}

  // Other numbers from here on, of which a wait that has begun takes a shorter max_wait. No
  // failures: it closes.
  void set_options(const BreakerOptions& options) {
    options_ = options;
    if (options_.failures == 0) return close();
    open_until_ = std::min(open_until_, opened_ + options_.max_wait);
  }

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

  void ended(const Ended& attempt, Instant now);

  // An attempt has ended without asking the target: another may be the probe.
  void not_asked(RecordId record) {
    if (probe_ == record) probe_.reset();
  }

  // Since it is not closed: how many probes have failed, and whose was the last of these.
  std::uint32_t failed_probes() const { return failed_probes_; }
  std::optional<RecordId> last_failed() const { return last_failed_; }

 private:
  static constexpr Instant kBefore{-kNever.us / 2};  // Earlier than anything.

  void failed(const Ended& attempt, Instant now);
  void probe_failed(const Ended& attempt, Instant now);
  void lengthen(RecordId failed);
  void open(Duration wait, Instant now);
  void close();

  BreakerOptions options_;
  bool closed_ = true;
  std::uint32_t failures_ = 0;  // In a row, while closed.
  Instant first_failure_;       // Of these.
  Instant answered_ = kBefore;  // When an attempt was accepted or refused, the last time.
  Duration wait_;               // Before the next probe.
  Instant opened_{-1};          // When it left off being closed, or a probe failed, the last time.
  Instant open_until_;
  std::optional<RecordId> probe_;  // Under way.
  std::uint32_t failed_probes_ = 0;
  std::optional<RecordId> last_failed_;
  std::array<RecordId, kProbesEachWait> failed_here_{};  // Under this wait, each once, ...
  std::uint32_t different_ = 0;                               // ... and how many.
};

}  // namespace einlass::core
