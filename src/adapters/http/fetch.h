// Asks a server for one page and waits for it: for verbs of the command line, which have nothing
// else to do meanwhile.
#pragma once

#include <string>

#include "adapters/http/target_options.h"

namespace einlass::http {

struct Fetched {
  unsigned status = 0;  // 0: there was no answer, and `trouble` says why.
  std::string body;
  std::string trouble;
};

// GETs the path of that host and port, in the clear. Throws std::runtime_error if they cannot be
// used.
Fetched fetch(TargetOptions options);

}  // namespace einlass::http
