#pragma once

#include <string>

namespace einlass::net {

// An IPv4 or IPv6 address, and no name.
bool is_address(const std::string& host);

}  // namespace einlass::net
