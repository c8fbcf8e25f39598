#include "adapters/http/client/proxy.h"

#include "net/encoding.h"
#include "text/ascii.h"

namespace einlass::http {

Hop first_hop(const ProxyOptions& proxy, const std::string& host, std::uint16_t port) {
  return proxy.host.empty() ? Hop{host, port} : Hop{proxy.host, proxy.port};
}

void go_through(const ProxyOptions& proxy, const std::string& host, std::uint16_t port,
                ConnectionSettings& settings) {
  if (proxy.host.empty()) return;
  const std::string destination = host_and_port(host, port);
  settings.proxy = host_and_port(proxy.host, proxy.port);
  settings.tunnel = "CONNECT " + destination + " HTTP/1.1\r\nHost: " + destination + "\r\n";
  if (!proxy.username.empty() || !proxy.password.empty()) {
    settings.tunnel +=
        "Proxy-Authorization: Basic " + net::base64(proxy.username + ":" + proxy.password) + "\r\n";
  }
  settings.tunnel += "\r\n";
}

}  // namespace einlass::http
