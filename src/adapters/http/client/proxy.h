// How a proxy is asked for a way through to a server (RFC 9110, section 9.3.6).
#pragma once

#include <cstdint>
#include <string>

#include "adapters/http/client/connection.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/resolver/addresses.h"

namespace einlass::http {

// Where a connection to host:port begins: at the proxy, if there is one.
Hop first_hop(const ProxyOptions& proxy, const std::string& host, std::uint16_t port);

// Puts into `settings` what a connection to host:port by this proxy needs; nothing if there is
// none.
void go_through(const ProxyOptions& proxy, const std::string& host, std::uint16_t port,
                ConnectionSettings& settings);

}  // namespace einlass::http
