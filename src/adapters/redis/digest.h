// Digests in lower-case hexadecimal.
#pragma once

#include <string>
#include <string_view>

namespace einlass::redis {

// What Redis calls a script by.
std::string sha1_hex(std::string_view bytes);

std::string sha256_hex(std::string_view bytes);

}  // namespace einlass::redis
