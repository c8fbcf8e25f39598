// One gate's promises about requests that carry several records: within their bounds, one target,
// nobody with more company than he may have. Written from src/core/contract/options.h.
#pragma once

#include <cstdint>
#include <optional>

#include "core/contract/command.h"
#include "draw.h"

namespace einlass::simulation {

class BatchChecks {
 public:
  // What is known of a record that is sent.
  struct Member {
    core::PartitionId partition;
    Offset offset;
    Bytes size;
    std::uint16_t name_size = 0;
    std::uint32_t most_together = 0;  // The record's own bound.
  };

  explicit BatchChecks(const Settings& settings) : settings_(settings) {}

  // The next Send. True if it begins a request.
  bool send(const core::Send& command, const Member& member);

  // The request of the last Send: each has a number of its own.
  std::uint64_t number() const { return number_; }

  // After each event: no request is left half filled.
  void check() const;

 private:
  const Settings& settings_;
  std::uint64_t number_ = 0;
  bool open_ = false;
  core::TargetId target_;
  std::uint32_t records_ = 0, most_ = 0;
  std::int64_t bytes_ = 0, names_ = 0;
  Member last_;
};

}  // namespace einlass::simulation
