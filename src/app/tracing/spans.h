// Spans as a collector takes them: OTLP/HTTP in its JSON form, with the names of OpenTelemetry's
// semantic conventions 1.30 (messaging, HTTP).
//
// https://opentelemetry.io/docs/specs/otlp/#otlphttp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "units/time.h"

namespace einlass::app {

// As the protocol numbers them.
enum class SpanKind : int { client = 3, producer = 4, consumer = 5 };

struct Span {
  using Value = std::variant<std::string, std::int64_t, bool>;

  std::string trace;   // In hexadecimal digits, as TraceContext has them.
  std::string id;      // 16 of them.
  std::string parent;  // Likewise.
  std::string name;
  SpanKind kind = SpanKind::consumer;
  Instant began, ended;
  std::vector<std::pair<std::string_view, Value>> attributes;
  std::string error;  // What went wrong; empty: nothing.
};

// The span as JSON. Bytes of records that are no text are replaced.
std::string to_json(const Span& span);

// Who sends spans: what all of them have in common, as JSON up to the first span, and behind the
// last.
class SpanRequest {
 public:
  explicit SpanRequest(const std::string& instance);

  // The body of a request with these spans, each as of to_json().
  std::string body(std::span<const std::string> spans) const;

 private:
  std::string before_;
};

}  // namespace einlass::app
