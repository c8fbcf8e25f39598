// The way to a server: whose name it has, and how a proxy is asked for a way through to it (RFC
// 9110, section 9.3.6).
#pragma once

#include "adapters/http/client/connection.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/resolver/addresses.h"

namespace einlass::http {

// Where a connection begins: at the proxy, if there is one.
Hop first_hop(const TargetOptions& options);

// What a connection needs to get there, as yet without TLS.
ConnectionSettings connection_settings(const TargetOptions& options);

}  // namespace einlass::http
