// What is to be sent in one attempt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/contract/ids.h"
#include "units/time.h"

namespace einlass::http {

// One record of a request with several.
struct BatchMember {
  core::RecordId record;
  core::Attempt attempt;
  std::string
      unfit;  // Why it is not in the body and is refused when the request ends; empty: it is.
};

struct RequestHeader {
  std::string_view name;
  std::string_view value;  // REQUIRES: no CR, LF or NUL.
};

// One attempt. All views live until send() returns.
struct Request {
  core::RecordId record;
  core::Attempt attempt;
  std::optional<Duration> failed_ago{};  // As core::Send has it; of several records none.
  std::span<const BatchMember>
      members{};                      // All of several records, `record` first; empty: it alone.
  std::string_view method{}, path{};  // Empty: the target's. REQUIRES: fit for a request line.
  std::string_view host{};            // Where the target has none of its own.
  std::string_view key{};             // Which of several servers, with Balance::by_key; empty: any.
  std::string_view id;            // The same at each attempt; only looked at where it is signed.
  std::string_view content_type;  // Empty: the target's.
  std::span<const RequestHeader> headers;
  std::string_view body;
};

}  // namespace einlass::http
