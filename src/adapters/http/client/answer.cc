#include "adapters/http/client/answer.h"

#include <boost/algorithm/string/predicate.hpp>
#include <locale>

namespace einlass::http {

core::Outcome outcome_of(unsigned status) {
  if (status >= 200 && status < 300) return core::Outcome::accepted;
  if (status == 0 || status / 100 == 5) return core::Outcome::retry;
  if (status == 408 || status == 425 || status == 429) return core::Outcome::retry;
  return core::Outcome::refused;
}

std::string_view certificate_fault(const Answer& answer) {
  if (answer.shown_certificate == ShownCertificate::not_asked_for) return "";
  const bool is_clear = answer.status == 495 || answer.status == 496;
  if (answer.shown_certificate == ShownCertificate::valid) {
    // nginx' own words; without them a 400 is what a server thinks of the record.
    const bool is_nginx = answer.status == 400 &&
                          answer.body.find("The SSL certificate error") != std::string_view::npos;
    return is_clear || is_nginx ? "the server does not take our client certificate; it has to be "
                                  "of an authority that the server knows, and not revoked"
                                : "";
  }
  // A server that would only like to see one says by the same numbers what it thinks of the record;
  // one that needs it speaks of it, as nginx: "No required SSL certificate was sent".
  const bool may_be = answer.status == 400 || answer.status == 401 || answer.status == 403;
  const bool speaks_of_it =
      may_be && boost::algorithm::icontains(answer.body, "certificate", std::locale::classic());
  if (!is_clear && !speaks_of_it) return "";
  return answer.shown_certificate == ShownCertificate::none
             ? "the server asks for a client certificate; write cert_file and key_file"
             : "the server asks for a client certificate, and ours has expired; renew cert_file "
               "and key_file";
}

}  // namespace einlass::http
