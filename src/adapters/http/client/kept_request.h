// A request that is not sent yet.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/http/client/request.h"

namespace einlass::http {

// A copy of a request with all that its views point to, but for its members, which live elsewhere.
class KeptRequest {
 public:
  KeptRequest(const Request& request, std::chrono::steady_clock::time_point now);
  KeptRequest(const KeptRequest&) = delete;
  KeptRequest& operator=(const KeptRequest&) = delete;

  // As it is by now: its record has failed longer ago. Its views live as long as this.
  Request request(std::chrono::steady_clock::time_point now) const;

 private:
  std::string text_;
  std::vector<RequestHeader> headers_;
  Request request_;
  const std::chrono::steady_clock::time_point since_;
};

}  // namespace einlass::http
