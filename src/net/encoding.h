// Base64 (RFC 4648), by OpenSSL: with padding (section 4) where no other is named.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace einlass::net {

void append_base64(std::string& to, std::string_view bytes);

std::string base64(std::string_view bytes);

// The one for URLs and file names (section 5), without padding.
std::string base64url(std::string_view bytes);

// The way back; none if the text is no base64 with its padding.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace einlass::net
