// The trace that a record belongs to, as its producer wrote it: W3C Trace Context, `traceparent`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/record/record_store.h"

namespace einlass::app {

struct TraceContext {
  std::string trace;   // 32 hexadecimal digits, in small letters, not all 0.
  std::string parent;  // 16 of them: the producer's span.
  bool sampled = false;
};

// None where the text is no traceparent: https://www.w3.org/TR/trace-context/#traceparent-header.
// One of a later version is read as far as this one knows it.
std::optional<TraceContext> parse_traceparent(std::string_view text);

// That of the record's header; none where it has none, or no sound one.
std::optional<TraceContext> trace_context_of(const StoredRecord& record);

}  // namespace einlass::app
