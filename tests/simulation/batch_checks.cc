#include "batch_checks.h"

#include <algorithm>
#include <string>

#include "trace.h"

namespace einlass::simulation {

bool BatchChecks::send(const core::Send& command, Bytes size, std::uint32_t most_together) {
  const core::BatchOptions& options = settings_.gate.targets[command.target.value].batch;
  const bool begins = !open_;
  if (begins) {
    ++number_;
    target_ = command.target;
    records_ = 0;
    bytes_ = 0;
    most_ = options.records;
  }
  most_ = std::min(most_, most_together);
  bytes_ += size.value;
  ++records_;
  require(command.target == target_, "batch_target", std::to_string(command.target.value));
  require(records_ <= std::max<std::uint32_t>(most_, 1), "batch_records", std::to_string(records_));
  require(records_ == 1 || bytes_ <= options.bytes.value, "batch_bytes", std::to_string(bytes_));
  open_ = command.more;
  return begins;
}

void BatchChecks::check() const { require(!open_, "batch_ends", std::to_string(records_)); }

}  // namespace einlass::simulation
