// What is wrong with the parts of a request that come from records, with several URLs, proxies and
// compression.
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

std::string at_url(const std::string& text, const std::string& why) {
  return "2:19: targets.t.http.url: '" + text + "' " + why;
}

TEST(WrongHttpParts, templates) {
  const std::string what =
      "has braces around something other than topic, partition, offset, key, header:NAME or "
      "json:/pointer; write {header:tenant} for a record's header, {{ for a brace";
  expect_mistakes({
      {url("'http://h/{topic}/{partition}/{offset}/{key}/{header:a}?b={json:/c~1d}'"), ""},
      {url("'http://h/{{a}}'"), ""},
      {url("'http://h/{value}'"), at_url("http://h/{value}", what)},
      {url("'http://h/{json:c}'"), at_url("http://h/{json:c}", what)},
      {url("'http://h/{json:/c~2}'"), at_url("http://h/{json:/c~2}", what)},
      {url("'http://h/{header:}'"), at_url("http://h/{header:}", what)},
      {url("'http://h/{key'"),
       at_url("http://h/{key", "has a { without its }; write {{ for a brace")},
      {url("'http://h/key}'"),
       at_url("http://h/key}", "has a } without its {; write }} for a brace")},
      {url("'http://h/{key}#a'"),
       at_url("http://h/{key}#a",
              "has a space, a # or another character that URLs write with a %, as %20")},
      {url("'{header:a}'"),
       at_url("{header:a}", "is not a URL; write http://HOST:PORT/PATH or https://...")},
      {url("'http://h:{header:port}/'"),
       at_url("http://h:{header:port}/", "has no port from 1 to 65535 after its colon")},
      {http("method: '{verb}'"), "2:38: targets.t.http.method: '{verb}' " + what},
      {http("method: '{header:verb}'"), ""},
      {http("headers: {X-A: '{b}'}"), "2:45: targets.t.http.headers.X-A: " + what},
      {http("headers: {X-Long: 'a', X-A: '{b}'}"), "2:58: targets.t.http.headers.X-A: " + what},
      {http("headers: {Authorization: '{b}', X-Api-Key: '}'}"), ""},
      {http("headers: {X-A: '{key}'}, forward_headers: [x-a]"),
       "2:73: targets.t.http.forward_headers[0]: 'x-a' is set by headers already; keep one of "
       "them"},
      {http("headers: {Webhook-Id: '{key}'}, sign: {secret: whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0"
            "NTY3ODkwMTI=}"),
       "2:68: targets.t.http.sign: writes the header webhook-id, which stands under headers or "
       "forward_headers; keep one of them"},
  });
}

TEST(WrongHttpParts, hosts_of_records) {
  const std::string of_record = "'http://{header:host}:8080/in'";
  const auto hosts = [&](const std::string& text) {
    return url(of_record + (text.empty() ? "" : ", " + text));
  };
  expect_mistakes({
      {hosts("allow_hosts: [a.example, '*.b.example']"), ""},
      {hosts("allow_hosts: ['*'], allow_private: true, proxy: http://p:1"), ""},
      {hosts(""),
       "2:19: targets.t.http.url: takes its host from the record; write allow_hosts with the names "
       "that may be called"},
      {hosts("allow_hosts: []"),
       "2:19: targets.t.http.url: takes its host from the record; write allow_hosts with the names "
       "that may be called"},
      {hosts("allow_hosts: [A.example]"),
       "2:19: targets.t.http.url: takes its host from the record; write allow_hosts with the names "
       "that may be called\n2:65: targets.t.http.allow_hosts[0]: 'A.example' is no host; write "
       "billing.example, *.billing.example or * (in small letters)"},
      {hosts("allow_hosts: ['*'], proxy: http://p:1"),
       "2:19: targets.t.http.url: takes its host from the record, and through a proxy private "
       "addresses cannot be recognised; write allow_private: true, or leave out the proxy"},
      {http("allow_hosts: [a]"),
       "2:43: targets.t.http.allow_hosts: means nothing where the URL's host is written out; leave "
       "it out"},
      {http("allow_private: true"),
       "2:45: targets.t.http.allow_private: means nothing where the URL's host is written out; "
       "leave it out"},
  });
}

TEST(WrongHttpParts, paths_of_records) {
  expect_mistakes({
      {url("'http://h/in/{key}', allow_slash: true"), ""},
      {url("'http://h/in', allow_slash: true"),
       "2:47: targets.t.http.allow_slash: means nothing where the URL's path is written out; leave "
       "it out"},
  });
}

TEST(WrongHttpParts, several_urls) {
  const auto urls = [](const std::string& text) {
    return targets("\n  t: {http: {" + text + "}}");
  };
  expect_mistakes({
      {urls("urls: [http://a/, 'http://b:81/x?y'], balance: key"), ""},
      {urls("urls: [], balance: key"),
       "2:20: targets.t.http.urls: names none; write [http://HOST:PORT/PATH, ...]"},
      {urls("url: http://a/, urls: [http://b/]"),
       "2:36: targets.t.http.urls: stands beside url; keep one of them"},
      {urls("urls: [http://a/, https://b/]"),
       "2:32: targets.t.http.urls[1]: 'https://b/' mixes http and https; write a target for each"},
      {urls("urls: [http://a/, 'http://a:80/']"),
       "2:32: targets.t.http.urls[1]: 'http://a:80/' is written twice; keep one of them"},
      {urls("urls: ['http://a/{key}']"),
       "2:21: targets.t.http.urls[0]: 'http://a/{key}' takes a part from the record, which only "
       "url may; write it out"},
      {urls("urls: [a]"),
       "2:21: targets.t.http.urls[0]: 'a' is not a URL; write http://HOST:PORT/PATH or "
       "https://..."},
      {urls("url: http://a/, balance: key"),
       "2:39: targets.t.http.balance: means nothing for a single url; write urls, or leave it out"},
      {urls("urls: [http://a/], balance: random"),
       "2:42: targets.t.http.balance: 'random' is not known here; write round_robin or key"},
  });
}

TEST(WrongHttpParts, proxies) {
  expect_mistakes({
      {http("proxy: 'http://gate:hunter2@p:3128'"), ""},
      {http("proxy: 'http://[::1]/'"), ""},
      {http("proxy: 'socks5://gate:hunter2@p:1080'"),
       "2:37: targets.t.http.proxy: is no proxy; write http://[USER:PASSWORD@]HOST:PORT"},
      {http("proxy: p:3128"),
       "2:37: targets.t.http.proxy: is no proxy; write http://[USER:PASSWORD@]HOST:PORT"},
      {http("proxy: 'http://p:3128/path'"),
       "2:37: targets.t.http.proxy: has more than a host and a port; leave that out"},
      {http("proxy: 'http://a%zz:b@p'"),
       "2:37: targets.t.http.proxy: has a % in its login that no two hex digits follow"},
      {http("proxy: 'http://a%3Ab:c@p'"),
       "2:37: targets.t.http.proxy: has a colon in its user's name"},
      {http("proxy: http://p:1, proxy_file: /b"),
       "2:61: targets.t.http.proxy_file: stands beside proxy; keep one of them"},
      {http("url_file: /b"), "2:40: targets.t.http.url_file: stands beside url; keep one of them"},
      {targets("{t: {http: {urls: [http://h/], url_file: /b}}}"),
       "1:28: targets.t.http.urls: stands beside url_file; keep one of them"},
  });
}

TEST(WrongHttpParts, compression) {
  expect_mistakes({
      {http("compress: gzip"), ""},
      {http("compress: none, headers: {Content-Encoding: br}"), ""},
      {http("compress: true"),
       "2:40: targets.t.http.compress: 'true' is not known here; write none or gzip"},
      {http("compress: gzip, headers: {Content-Encoding: br}"),
       "2:40: targets.t.http.compress: writes Content-Encoding, which headers or forward_headers "
       "do "
       "already; keep one of them"},
      {http("compress: gzip, forward_headers: [content-encoding]"),
       "2:40: targets.t.http.compress: writes Content-Encoding, which headers or forward_headers "
       "do "
       "already; keep one of them"},
  });
}

}  // namespace
}  // namespace einlass::config
