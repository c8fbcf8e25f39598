// When a record may be delivered, by what it says of itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/record/stored_record.h"
#include "config/model/config.h"
#include "core/contract/ids.h"
#include "units/time.h"

namespace einlass::app {

struct RecordTimes {
  Instant not_before;        // Before that it is not delivered. In the past without such a field.
  Instant expires = kNever;  // From then on it is delivered no more.
  // Which of its fields is no time, as a sentence for its dead letter that has nothing of the
  // record in it; empty if all are.
  std::string bad;
};

// Those of all routes.
class TimeFields {
 public:
  explicit TimeFields(const config::Config& config);

  // As that route wants them. A record without the field has no such time. REQUIRES: the record was
  // read with what these fields need of its value as JSON.
  RecordTimes read(core::RouteId route, const StoredRecord& record) const;

 private:
  struct Fields {
    std::optional<config::KeySource> not_before, expires;
  };

  std::vector<Fields> by_route_;
};

// Milliseconds since 1970 in at least 12 digits, for fewer are seconds; or as parse_timestamp()
// takes it, with a zone. None if it is neither.
std::optional<Instant> instant_of(std::string_view text);

}  // namespace einlass::app
