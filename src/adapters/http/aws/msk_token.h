// What Amazon MSK takes for an access token (SASL/OAUTHBEARER at its port for IAM): a request to
// connect, presigned by Signature Version 4, as the address that it would have.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/aws/credentials.h"
#include "units/time.h"

namespace einlass::http {

// So long brokers take it, if the credentials do not expire before.
inline constexpr Duration kMskTokenLife = Duration::seconds(900);

// REQUIRES: trouble_with() the credentials there is none; `region` is letters, digits and hyphens;
// `now` is on the system's clock.
std::string msk_token(const AwsCredentials& credentials, std::string_view region, Instant now);

}  // namespace einlass::http
