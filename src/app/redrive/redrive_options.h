// What a user asks of `einlass redrive`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "units/id.h"

namespace einlass::app {

// Where reading begins.
struct From {
  enum class Kind { last_redrive, beginning, offset, offsets, time } kind = Kind::last_redrive;
  Offset offset;                              // Of every partition.
  std::map<PartitionNumber, Offset> offsets;  // Only these partitions are read.
  std::int64_t time_ms = 0;  // Since 1970: records that came into the topic then or later.
};

struct RedriveOptions {
  std::string route, topic;  // One of them; the other is empty.
  From from;
  std::vector<std::string> reasons;        // Empty: all.
  std::optional<std::int32_t> partition;   // Only this one.
  std::optional<std::uint64_t> most_sent;  // Ends after so many were sent again.
  bool dry_run = false;
};

// `beginning`, `1200`, `0:1200,2:77`, `2026-11-21`, `2026-11-21T10:00`, `2026-11-21T10:00:30Z` or
// with `+01:00` for `Z`; a time without either is UTC. Otherwise what is wrong with the text.
std::variant<From, std::string> parse_from(std::string_view text);

}  // namespace einlass::app
