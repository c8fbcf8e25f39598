// What librdkafka tells only in its log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "units/id.h"

namespace einlass::kafka {

// librdkafka did not find an offset on the broker any more and goes on where auto.offset.reset
// says.
struct OffsetReset {
  std::string topic;
  PartitionNumber number;
  std::int64_t from = 0;  // The offset that was not there.
};

// Reads a line such as "[thrd:main]: results [3]: offset reset (at offset 1999, broker 1) to ...".
std::optional<OffsetReset> parse_offset_reset(std::string_view line);

}  // namespace einlass::kafka
