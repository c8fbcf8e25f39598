// One gate's promises about its targets: no attempt while a Retry-After or the breaker forbids it,
// one probe at a time, and retries only within their share. Written from
// src/core/contract/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/contract/event.h"
#include "core/gate/gate.h"
#include "draw.h"

namespace einlass::simulation {

// An attempt that has ended, as the world saw it.
struct AttemptSeen {
  core::RecordId record;
  Instant began;
  std::optional<Instant> failed_before;  // When the record's last attempt before this one failed.
  core::Outcome outcome;
  bool answered;
  bool asked;
};

class TargetChecks {
 public:
  explicit TargetChecks(const Settings& settings);

  // What the gate is told and does. `saved`: retries that may be saved up for.
  void held(core::TargetId target, Instant until);
  void send(core::TargetId target, core::RecordId record, Instant now);
  void sent(core::TargetId target, Bytes size) { targets_[target.value].since_ready += size.value; }
  void ready(core::TargetId target) { targets_[target.value].since_ready = 0; }
  void ended(core::TargetId target, const AttemptSeen& attempt, Instant now);

  // Books an attempt. False if it is a retry for which no credit was left: then no fresh record may
  // have been there to leave in its place.
  bool pays(core::TargetId target, bool retry, std::int64_t saved);
  bool pays_in_line(core::TargetId target, core::LineId line, bool retry);
  void line_forgotten(core::LineId line);
  void reloaded();

  // Whether it takes more than was sent to it since it was ready last.
  bool is_ready(core::TargetId target) const;

  // Whether attempts may go as far as places allow, once it is ready for them.
  bool lets_all_through(core::TargetId target, Instant now) const;

  // When a record that is not bad went there last.
  void good_went(core::TargetId target, Instant now) { targets_[target.value].good_went = now; }
  Instant good_went(core::TargetId target) const { return targets_[target.value].good_went; }

  void check(const core::Gate& gate, Instant now) const;

 private:
  struct Target {
    Instant held_until{};
    std::int64_t since_ready = 0;  // Bytes.
    bool closed = true;
    std::uint32_t failures = 0;
    std::vector<core::RecordId> failed_probes;  // Under this wait, each once.
    Duration wait{};  // Before the next probe but the first.
    Instant first_failure{};
    std::optional<Instant> answered;
    Instant opened{-1};
    Instant good_went{};
    Instant open_until{};
    std::optional<core::RecordId> probe;
    std::int64_t credit = 0;
  };

  static bool pay(std::int64_t& credit, std::int64_t share, bool retry, std::int64_t saved);
  static bool counts(const Target& at, const AttemptSeen& attempt);
  static Duration next_wait(Target& at, const core::BreakerOptions& options, core::RecordId failed,
                            bool answered);
  static void close(Target& at);
  static void open(Target& target, Duration wait, Instant now);

  const Settings& settings_;
  std::vector<Target> targets_;
  std::vector<std::int64_t> line_credits_;
};

}  // namespace einlass::simulation
