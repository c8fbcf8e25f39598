#include "adapters/http/answer.h"

namespace einlass::http {

core::Outcome outcome_of(unsigned status) {
  if (status >= 200 && status < 300) return core::Outcome::accepted;
  if (status < 100 || status >= 500) return core::Outcome::retry;
  if (status == 408 || status == 425 || status == 429) return core::Outcome::retry;
  return core::Outcome::refused;
}

bool asks_for_certificate(const Answer& answer) {
  if (!answer.lacks_certificate) return false;
  return answer.status == 400 || answer.status == 401 || answer.status == 403 ||
         answer.status == 495 || answer.status == 496;
}

}  // namespace einlass::http
