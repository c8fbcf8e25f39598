#include "app/redrive/redrive_ranges.h"

#include <algorithm>
#include <span>
#include <utility>

namespace einlass::app {
namespace {

std::string partition_of(const std::string& topic, PartitionNumber number) {
  return topic + " partition " + std::to_string(number.value);
}

void check_partition(const std::string& topic, std::size_t partitions, std::int32_t number) {
  if (static_cast<std::size_t>(number) < partitions) return;
  throw WrongRange("the topic " + topic + " has no partition " + std::to_string(number) +
                   "; its last one is " + std::to_string(partitions - 1));
}

// Where the last redrive ended.
RedriveRange where_it_ended(const std::string& topic, const kafka::PartitionState& state,
                            const Notify& notify) {
  RedriveRange range{{state.number, state.first, state.end}, {}};
  if (state.committed.value < 0) return range;
  const std::string partition = partition_of(topic, state.number);
  if (state.committed > state.end) {
    notify({Severity::warning, "redrive_topic_is_new",
            partition + " ends before offset " + std::to_string(state.committed.value) +
                ", where the last redrive ended: the topic was recreated, so all of it is read"});
    return range;
  }
  if (state.committed < state.first) {
    notify({Severity::warning, "redrive_letters_gone",
            partition + ": offsets " + std::to_string(state.committed.value) + " to " +
                std::to_string(state.first.value - 1) +
                " were deleted from Kafka since the last redrive; raise the topic's retention"});
  }
  range.read.start = std::max(state.first, state.committed);
  const auto finished = core::read_finished(state.committed, state.metadata);
  if (!finished) {
    notify({Severity::warning, "redrive_progress_unreadable",
            partition + ": which letters the last redrive had sent ahead cannot be read from its "
                        "commit; they are sent again"});
    return range;
  }
  for (const core::OffsetRange& one : *finished) {
    const Offset first = std::max(one.first, range.read.start);
    const Offset end = std::min(one.end, state.end);
    if (first < end) range.finished.push_back({first, end});
  }
  return range;
}

// Also Kafka forgets: then letters that were sent long ago are sent again.
void tell_without_progress(const RedriveOptions& options, const std::string& topic,
                           std::span<const kafka::PartitionState> states, const Notify& notify) {
  const auto begins_anew = [&](const kafka::PartitionState& state) {
    const bool is_read = !options.partition || *options.partition == state.number.value;
    return is_read && state.committed.value < 0 && state.first < state.end;
  };
  const auto count = std::ranges::count_if(states, begins_anew);
  if (count == 0) return;
  notify({Severity::info, "redrive_no_progress",
          "of " + std::to_string(count) + " partitions of " + topic +
              " Kafka has no progress of a redrive (there was none, or it is longer ago than the "
              "brokers' offsets.retention.minutes), so all of them is read; --from TIME begins "
              "later"});
}

// None where no letter is from there on: a progress that is kept there would pass over all letters
// that nobody has sent.
std::optional<RedriveRange> from_offset(const std::string& topic,
                                        const kafka::PartitionState& state, Offset offset,
                                        const Notify& notify) {
  if (offset >= state.end) {
    notify({Severity::warning, "redrive_nothing_there",
            partition_of(topic, state.number) + " has no letter from offset " +
                std::to_string(offset.value) + " on: nothing of it is read"});
    return std::nullopt;
  }
  if (offset < state.first) {
    notify({Severity::warning, "redrive_letters_gone",
            partition_of(topic, state.number) + " begins at offset " +
                std::to_string(state.first.value) + "; what was before is no longer in Kafka"});
  }
  return RedriveRange{{state.number, std::max(offset, state.first), state.end}, {}};
}

}  // namespace

std::vector<RedriveRange> redrive_ranges(const RedriveOptions& options, const std::string& topic,
                                         const std::vector<kafka::PartitionState>& states,
                                         const std::vector<std::optional<Offset>>& at_time,
                                         const Notify& notify) {
  const From& from = options.from;
  if (options.partition) check_partition(topic, states.size(), *options.partition);
  for (const auto& [number, offset] : from.offsets) {
    check_partition(topic, states.size(), number.value);
  }
  if (options.partition && from.kind == From::Kind::offsets &&
      !from.offsets.contains(PartitionNumber{*options.partition})) {
    throw WrongRange("--from names the partitions to read, and not " +
                     std::to_string(*options.partition) + ", the only one that --partition reads");
  }
  if (from.kind == From::Kind::last_redrive) tell_without_progress(options, topic, states, notify);
  std::vector<RedriveRange> ranges;
  const auto add = [&ranges](std::optional<RedriveRange> range) {
    if (range) ranges.push_back(*std::move(range));
  };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const kafka::PartitionState& state = states[i];
    if (options.partition && *options.partition != state.number.value) continue;
    switch (from.kind) {
      case From::Kind::last_redrive:
        ranges.push_back(where_it_ended(topic, state, notify));
        break;
      case From::Kind::beginning:
        ranges.push_back({{state.number, state.first, state.end}, {}});
        break;
      case From::Kind::offset:
        add(from_offset(topic, state, from.offset, notify));
        break;
      case From::Kind::offsets:
        if (const auto found = from.offsets.find(state.number); found != from.offsets.end()) {
          add(from_offset(topic, state, found->second, notify));
        }
        break;
      case From::Kind::time:
        // A letter may have come since it was asked where the topic ends.
        if (at_time[i].value_or(state.end) < state.end) {
          ranges.push_back({{state.number, *at_time[i], state.end}, {}});
        }
        break;
    }
  }
  if (from.kind == From::Kind::time && ranges.empty()) {
    notify({Severity::warning, "redrive_nothing_there",
            topic + " has no letter from the time of --from on: nothing is read"});
  }
  return ranges;
}

}  // namespace einlass::app
