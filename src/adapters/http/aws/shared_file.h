// The file in which AWS' tools keep credentials by the names of profiles (~/.aws/credentials).
#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/aws/credentials.h"

namespace einlass::http {

// What stands in that profile; a key that is not written is empty. None if there is no such
// profile. Whatever else stands in the file is passed over.
std::optional<AwsCredentials> profile_in(std::string_view text, std::string_view profile);

}  // namespace einlass::http
