#include "app/shard/shard_counts.h"

#include <variant>

namespace einlass::app {

void ShardCounts::note(const core::Event& event) {
  if (std::holds_alternative<core::PartitionAssigned>(event)) ++assigned;
  if (std::holds_alternative<core::PartitionRevoked>(event)) ++revoked;
  const auto* ended = std::get_if<core::CommitEnded>(&event);
  if (ended == nullptr) return;
  switch (ended->result) {
    case core::CommitResult::committed:
      ++committed;
      break;
    case core::CommitResult::failed:
      ++failed;
      break;
    case core::CommitResult::fenced:
      ++fenced;
      break;
  }
}

// One that was aborted, on purpose or not, is tried again.
void ShardCounts::note(kafka::TransactionEnd end) {
  ++(end == kafka::TransactionEnd::committed ? committed : failed);
}

}  // namespace einlass::app
