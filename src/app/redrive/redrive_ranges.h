// What a redrive has to read of each partition, as the user wants it and Kafka has it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/kafka/reader/topic_reader.h"
#include "app/redrive/redrive_options.h"
#include "app/redrive/redrive_source.h"
#include "units/notice.h"

namespace einlass::app {

// The user asked for what is not there; in words.
struct WrongRange : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Up to the ends that Kafka has now. `at_time`: where --from is a time, the offset of each
// partition of `states`. A partition that has no letter from --from on is left out, of which
// `notify` is told where that is an offset, or where a time leaves out all of them. It is told,
// too, where Kafka no longer has what should come first. Throws WrongRange for a partition that the
// topic does not have, or that is chosen and not among those of --from.
std::vector<RedriveRange> redrive_ranges(const RedriveOptions& options, const std::string& topic,
                                         const std::vector<kafka::PartitionState>& states,
                                         const std::vector<std::optional<Offset>>& at_time,
                                         const Notify& notify);

}  // namespace einlass::app
