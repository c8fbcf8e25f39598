// AWS credentials: what requests to AWS are signed with.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "units/time.h"

namespace einlass::http {

struct AwsCredentials {
  std::string access_key_id, secret_access_key;
  std::string session_token;       // Of temporary ones; else empty.
  std::optional<Instant> expires;  // On the system's clock; none: nobody has said.

  bool operator==(const AwsCredentials&) const = default;
};

// What is wrong with them, in words that have nothing of them, and by the names that the three
// texts have where they come from; empty: nothing.
std::string trouble_with(const AwsCredentials& credentials,
                         const std::array<std::string_view, 3>& names);

}  // namespace einlass::http
