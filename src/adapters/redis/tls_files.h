// The files that TLS needs, as PEM. They are read for each connection, so that what is renewed on
// disk needs no restart.
#pragma once

#include <string>

namespace einlass::redis {

struct TlsFiles {
  std::string ca;           // Whom to trust. Empty: the system's authorities.
  std::string certificate;  // What the client shows, with its chain, and the key to it; both empty:
  std::string key;          // nothing.
};

}  // namespace einlass::redis
