// What is said of single records. There may be thousands of them a second, so the text names what
// they have in common, and is the same for all; the record stands beside it, as an example.
#pragma once

#include <string>
#include <string_view>

#include "app/record/stored_record.h"
#include "units/notice.h"

namespace einlass::app {

// `results-0@17`.
std::string record_name(const StoredRecord& record);

// Its header is not sent on: it holds bytes that HTTP forbids, or there is no room for it.
Notice header_not_forwarded(const StoredRecord& record, std::string_view header);

// The dead letter topic takes no record of its size.
Notice dead_letter_too_large(const StoredRecord& record, std::string_view dead_letter_topic);

// It goes to the dead letter topic, for that reason.
Notice dead_lettered(const StoredRecord& record, std::string_view route, std::string_view reason,
                     std::string_view dead_letter_topic);

}  // namespace einlass::app
