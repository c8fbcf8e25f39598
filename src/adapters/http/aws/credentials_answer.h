// What the servers answer that give credentials to what runs in AWS: those of containers, and the
// metadata of instances.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/aws/credentials.h"
#include "units/time.h"

namespace einlass::http {

struct AwsAnswer {
  AwsCredentials credentials;
  std::string trouble;  // Why there are none, in words that have nothing of them; empty: there are.
};

// `now` is on the system's clock.
AwsAnswer read_credentials(std::string_view body, Instant now);

}  // namespace einlass::http
