// The proxy by which an HTTP target is reached.
#include "config/address.h"
#include "config/decode.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

// Empty, or what is wrong, in words that do not have the URL: there may be a password in it.
std::string parse_proxy(const std::string& text, HttpProxy& proxy) {
  const auto url = split_url(text);
  if (!url || url->scheme != "http") return "is no proxy; write http://[USER:PASSWORD@]HOST:PORT";
  const bool more = !url->path.empty() && url->path != "/";
  if (more || url->query || url->fragment) return "has more than a host and a port; leave that out";
  const auto address = parse_host_port(url->address, 3128);
  if (refused(address)) return std::get<Refusal>(address).text;
  proxy.host = std::get<HostPort>(address).host;
  proxy.port = std::get<HostPort>(address).port;
  if (!url->login) return "";
  const std::size_t colon = url->login->find(':');
  const auto username = percent_decoded(url->login->substr(0, colon));
  const auto password = percent_decoded(colon == url->login->npos ? std::string_view()
                                                                  : url->login->substr(colon + 1));
  if (!username || !password) return "has a % in its login that no two hex digits follow";
  if (username->find(':') != username->npos) return "has a colon in its user's name";
  proxy.username = *username;
  proxy.password = *password;
  return "";
}

}  // namespace

void decode_http_proxy(Section& section, HttpTarget& http) {
  std::string text;
  if (!read_secret(section, "proxy", text)) return;
  const std::string_view name = section.has("proxy") ? "proxy" : "proxy_file";
  const std::string trouble = parse_proxy(text, http.proxy);
  if (trouble.empty()) return;
  section.reading().wrong(section.place_of(name), section.path_of(name), trouble);
}

}  // namespace einlass::config
