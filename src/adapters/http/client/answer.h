// What became of one request, and what that means for its record.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/wire/shown_certificate.h"
#include "core/contract/event.h"
#include "units/time.h"

namespace einlass::http {

struct Answer {
  unsigned status = 0;  // 0: there was no answer, and `trouble` says why.
  std::optional<Duration> retry_after;
  std::string trouble;
  std::string_view body{};  // Its first bytes, where they are kept. Lives as long as its answer.
  std::string_view location{};        // Where a redirect points. Lives as long.
  std::string excerpt{};              // Of the body, for people.
  std::string points_to{};            // Where it points, for people; may have some of the record.
  bool ends_with_connection = false;  // Its body has no end of its own: a cut one looks the same.
  bool needs_repair = false;      // One side does not take the other: waiting alone mends nothing.
  bool refuses_login = false;     // The record was sent as somebody whom it does not take.
  bool is_forbidden = false;      // The record names a host that nothing may be sent to.
  bool is_too_large = false;      // The server says that it takes no such head, and was not asked.
  bool is_suspect = false;        // The server ended the connection: over this request, or another.
  bool ends_connections = false;  // It did that to one which the request had for itself.
  bool is_unfit = false;          // It does so again and again, and answers others meanwhile.
  ShownCertificate shown_certificate = ShownCertificate::not_asked_for;
};

// Whether any of the request may have left.
inline bool was_sent(const Answer& answer) { return !answer.is_forbidden && !answer.is_too_large; }

// Whether the server has shown what it makes of the request.
inline bool was_asked(const Answer& answer) { return was_sent(answer) && !answer.is_suspect; }

// Whether that attempt brings its record nearer to its dead letter.
inline bool counts(const Answer& answer) {
  return !answer.needs_repair && !answer.refuses_login && !answer.is_suspect;
}

// Whether the server lives, and what it did was about this request.
inline bool has_answered(const Answer& answer) {
  return answer.status != 0 || answer.ends_connections;
}

// What the status means by itself. 2xx is accepted. 408, 425, 429, 5xx and no answer: try again.
// Everything else is refused, numbers that HTTP does not know too.
core::Outcome outcome_of(unsigned status);

// Why only another certificate of ours would have made another answer of it; empty where that is
// not so.
std::string_view certificate_fault(const Answer& answer);

}  // namespace einlass::http
