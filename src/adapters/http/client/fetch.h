// One exchange with a server that is waited for: for verbs of the command line, which have nothing
// else to do meanwhile. Each takes at most options.timeout, and throws std::runtime_error if the
// options cannot be used.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/client/target_options.h"

namespace einlass::http {

struct Fetched {
  unsigned status = 0;  // 0: there was no answer, and `trouble` says why.
  std::string body;
  std::string trouble;
};

// GETs the path of that host and port.
Fetched fetch(TargetOptions options);

// The same with the method of the options, and a body.
Fetched send(const TargetOptions& options, std::string_view body);

// Why no request could leave for the target: goes the whole way to it, through its proxy and with
// its TLS, and sends nothing. Empty if one could. What a server thinks of a certificate of ours is
// known only after a request in TLS 1.3.
std::string reach(const TargetOptions& options);

}  // namespace einlass::http
