#include "net/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace einlass::net {

bool is_address(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace einlass::net
