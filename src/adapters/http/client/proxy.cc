#include "adapters/http/client/proxy.h"

#include "adapters/http/wire/words.h"
#include "net/encoding.h"
#include "text/ascii.h"

namespace einlass::http {

Hop first_hop(const TargetOptions& options) {
  const ProxyOptions& proxy = options.proxy;
  return proxy.host.empty() ? Hop{options.host, options.port} : Hop{proxy.host, proxy.port};
}

ConnectionSettings connection_settings(const TargetOptions& options) {
  ConnectionSettings settings{
      .peer = host_and_port(options.host, options.port),
      .timeout = in_words(options.timeout),
      .server_name = options.server_name.empty() ? options.host : options.server_name};
  const ProxyOptions& proxy = options.proxy;
  if (proxy.host.empty()) return settings;
  settings.proxy = host_and_port(proxy.host, proxy.port);
  settings.tunnel = "CONNECT " + settings.peer + " HTTP/1.1\r\nHost: " + settings.peer + "\r\n";
  if (!proxy.username.empty() || !proxy.password.empty()) {
    settings.tunnel +=
        "Proxy-Authorization: Basic " + net::base64(proxy.username + ":" + proxy.password) + "\r\n";
  }
  settings.tunnel += "\r\n";
  return settings;
}

}  // namespace einlass::http
