#include "batch_checks.h"

#include <algorithm>
#include <string>

#include "trace.h"

namespace einlass::simulation {

bool BatchChecks::send(const core::Send& command, const Member& member) {
  const core::BatchOptions& options = settings_.gate.targets[command.target.value].batch;
  const bool begins = !open_;
  if (begins) {
    ++number_;
    target_ = command.target;
    records_ = 0;
    bytes_ = names_ = 0;
    most_ = options.records;
  }
  const bool named_with_last = !begins && last_.name_size > 0 &&
                               last_.partition == member.partition &&
                               last_.offset.value + 1 == member.offset.value;
  most_ = std::min(most_, member.most_together);
  bytes_ += member.size.value;
  if (!named_with_last) names_ += member.name_size;
  last_ = member;
  ++records_;
  require(command.target == target_, "batch_target", std::to_string(command.target.value));
  require(records_ <= std::max<std::uint32_t>(most_, 1), "batch_records", std::to_string(records_));
  require(records_ == 1 || bytes_ <= options.bytes.value, "batch_bytes", std::to_string(bytes_));
  require(records_ == 1 || names_ <= options.names.value, "batch_names", std::to_string(names_));
  open_ = command.more;
  return begins;
}

void BatchChecks::check() const { require(!open_, "batch_ends", std::to_string(records_)); }

}  // namespace einlass::simulation
