// Rows of wiring_table.h: targets.
#pragma once

#include <string>
#include <vector>

#include "app/record/record_store.h"
#include "app/targets/http_target.h"
#include "unit/app/record/stored.h"
#include "unit/app/setup/wiring_rows_of_kafka_targets.h"
#include "unit/app/setup/wiring_rows_of_service.h"
#include "unit/app/setup/wiring_table.h"

namespace einlass::app::wiring_table {

// ---- a request for one record ----

struct Made {
  std::string method, host, path, headers, body;
  std::string why;  // There is none.
};

inline Made request_of(const Config& c) {
  const std::vector<kafka::Header> headers = {
      {"x-team", "blue"}, {"x-verb", "PUT"}, {"x-place", "north/1"}};
  kafka::Message message;
  message.topic = "a";
  message.key = "billing.example";
  message.value = "1";
  message.headers = headers;
  const Stored stored(message, json_needs(c).at(0));
  const StoredRecord& record = stored.record;
  RequestParts parts(*c.targets.at(0).http(), RunId{});
  Made made;
  if (parts.batch) {
    parts.batch->add(record, {});
    made.body = parts.batch->finish().body;
    return made;
  }
  std::string skipped;
  made.why = parts.requests.build(record, {}, false, parts.fields, skipped).why;
  const http::Request& request = parts.requests.request();
  made.method = request.method;
  made.host = request.host;
  made.path = request.path;
  for (const auto& [name, value] : request.headers) {
    if (name.starts_with("X-") || name.starts_with("x-")) {
      made.headers += std::string(name) + "=" + std::string(value);
    }
  }
  return made;
}

inline std::string url_of(const http::TargetOptions& to) {
  return url_of(to.tls, to.host, to.port, to.path);
}

inline std::string urls_of(const http::TargetOptions& to) {
  std::string all = url_of(to);
  for (const auto& [host, port, path] : to.others) all += "," + url_of(to.tls, host, port, path);
  for (const std::string& secret : to.url_secrets) all += " hides " + secret;
  return all;
}

inline std::string http2_of(const Config& c) {
  static constexpr const char* kNames[] = {"auto", "always", "never"};
  return kNames[static_cast<std::size_t>(http_target(c).http2)];
}

// `user:password@host:port`
inline std::string proxy_of(const Config& c) {
  const http::ProxyOptions proxy = http_target(c).proxy;
  if (proxy.host.empty()) return "";
  return proxy.username + ":" + proxy.password + "@" +
         to_text(config::HostPort{proxy.host, proxy.port});
}

inline std::string name_of(core::Outcome outcome) {
  static constexpr const char* kNames[] = {"accept", "retry", "refuse"};
  return kNames[static_cast<std::size_t>(outcome)];
}

inline std::string answers_of(const Config& c) {
  std::vector<std::string> rules;
  for (const http::StatusRule& rule : http_target(c).answers.by_status) {
    rules.push_back(std::to_string(rule.first) + "-" + std::to_string(rule.last) + " " +
                    name_of(rule.outcome));
  }
  return joined(rules);
}

inline http::AnswerOptions::BodyRule body_rule(const Config& c) {
  return http_target(c).answers.by_body.at(0);
}

template <class Read>
std::function<std::string(const Config&)> login(http::LoginOptions::Kind kind, Read read) {
  return [=](const Config& c) -> std::string {
    const http::LoginOptions options = http_target(c).login;
    return options.kind == kind ? read(options) : "";
  };
}

inline std::vector<Row> rows_of_urls() {
  const std::string by_key = "url: 'http://{key}/'";
  const std::string any_host = by_key + ", allow_hosts: ['*']";
  const std::string urls = "urls: ['http://h/', 'http://i/']";
  const auto url = [](const Config& c) { return url_of(http_target(c)); };
  return {
      {"targets.NAME.http.url", with_http(""), "http://h2:81/there?x=1", url},
      {"targets.NAME.http.url", with_http(""), "https://h2:444/there", url},
      {"targets.NAME.http.url", with_http(""), "'http://h/{topic}'",
       [](const Config& c) { return request_of(c).path; }, "/a"},
      {"targets.NAME.http.url_file",
       with_http(""),
       file_with("http://h2:81/there?x=1"),
       [](const Config& c) { return urls_of(http_target(c)); },
       "http://h2:81/there?x=1 hides there hides x hides 1",
       "http://j:80/",
       {"url", "'http://j/'"}},
      {"targets.NAME.http.urls",
       with_http(""),
       "['http://h:81/x?a=12345678', 'http://i:82/y?b=87654321']",
       [](const Config& c) { return urls_of(http_target(c)); },
       "http://h:81/x?a=12345678,http://i:82/y?b=87654321 hides 12345678 hides 87654321",
       "http://j:80/",
       {"url", "'http://j/'"}},
      {"targets.NAME.http.balance", with_http(urls), "key",
       [](const Config& c) {
         return http_target(c).balance == http::Balance::by_key ? "key" : "round_robin";
       }},
      {"targets.NAME.http.allow_hosts",
       with_http(by_key),
       "['*.example']",
       [](const Config& c) {
         return text(http_target(c).host_of_record) + " " + request_of(c).host;
       },
       "true billing.example",
       "false ",
       {"url", "'http://h/'"}},
      {"targets.NAME.http.allow_hosts",
       with_http(by_key),
       "[other.example]",
       [](const Config& c) { return request_of(c).why; },
       "no URL for it: its host is not one of allow_hosts",
       "",
       {"url", "'http://h/'"}},
      {"targets.NAME.http.allow_private", with_http(any_host), "true",
       [](const Config& c) { return text(http_target(c).allow_private); }},
      {"targets.NAME.http.allow_slash", with_http("url: 'http://h/{header:x-place}'"), "true",
       [](const Config& c) { return request_of(c).path; }, "/north%2F1", ""},
  };
}

inline std::vector<Row> rows_of_connections() {
  const std::string tls = "url: 'https://h/'";
  return {
      {"targets.NAME.http.ca_file", with_http(tls), "ca.pem",
       [](const Config& c) { return http_target(c).certificates.ca_file; }},
      {"targets.NAME.http.server_name", with_http(tls), "billing.example",
       [](const Config& c) { return http_target(c).server_name; }},
      {"targets.NAME.http.cert_file",
       with_http(tls + ", key_file: k.pem"),
       "c.pem",
       [](const Config& c) { return http_target(c).certificates.cert_file; },
       {},
       {},
       {"key_file", ""}},
      {"targets.NAME.http.key_file",
       with_http(tls + ", cert_file: c.pem"),
       "k.pem",
       [](const Config& c) { return http_target(c).certificates.key_file; },
       {},
       {},
       {"cert_file", ""}},
      {"targets.NAME.http.verify", with_http(tls), "false",
       [](const Config& c) { return text(http_target(c).certificates.verify); }},
      {"targets.NAME.http.http2", with_http(tls), "always", http2_of},
      {"targets.NAME.http.http2", with_http(tls), "never", http2_of},
      {"targets.NAME.http.proxy", with_http(tls), "http://me:hush@p:3128", proxy_of,
       "me:hush@p:3128"},
      {"targets.NAME.http.proxy_file", with_http(tls), file_with("http://me:hush@p:3128"), proxy_of,
       "me:hush@p:3128"},
  };
}

// How much a key may be as a header, and how much half of one is there and in the path.
inline std::string head_bytes_of(const Config& c) {
  RequestParts parts(*c.targets.at(0).http(), RunId{});
  std::int64_t as_header = 0;
  std::int64_t twice = 0;
  for (const std::int64_t size : {1 << 10, 2 << 10, 8 << 10}) {
    const std::string key(static_cast<std::size_t>(size - 1), 'k');
    kafka::Message message;
    message.topic = "a";
    message.key = key;
    const Stored stored(message, json_needs(c).at(0));
    if (!parts.requests.has_long_key(stored.record)) as_header = size;
    message.key = std::string_view(key).substr(key.size() / 2 + 1);
    const Stored half(message, json_needs(c).at(0));
    std::string skipped;
    if (!parts.requests.build(half.record, {}, true, parts.fields, skipped).too_large) twice = size;
  }
  return agreed({text(Bytes{as_header}), text(Bytes{twice})});
}

inline std::vector<Row> rows_of_requests() {
  const std::string url = "url: 'http://h/'";
  const std::string two_shards = with_target(kHttp, "shards: 2\n");
  return {
      {"targets.NAME.http.long_key", with_http("url: 'http://h/'"), "leave_out",
       [](const Config& c) {
         return RequestParts(*c.targets.at(0).http(), RunId{}).refuse_long_keys ? "refuse"
                                                                                : "leave_out";
       }},
      {"targets.NAME.http.head_bytes", with_http("url: 'http://h/{key}'"), "2KiB", head_bytes_of},
      {"targets.NAME.http.method", with_http(url), "PUT",
       [](const Config& c) { return http_target(c).method; }},
      {"targets.NAME.http.method", with_http(url), "'{header:x-verb}'",
       [](const Config& c) { return request_of(c).method; }, "PUT", ""},
      {"targets.NAME.http.timeout", with_http(url), "7s",
       [](const Config& c) { return text(http_target(c).timeout); }},
      {"targets.NAME.http.max_in_flight", with_http(url), "9",
       [](const Config& c) {
         return agreed({text(target(c).max_in_flight), text(http_target(c).max_in_flight)});
       }},
      {"targets.NAME.http.max_in_flight", two_shards, "9",
       [](const Config& c) {
         const auto of_gate = [&](ShardNumber p) {
           return gate_options(c, p, 1).targets.at(0).max_in_flight;
         };
         const auto of_adapter = [&](ShardNumber p) {
           return target_options(c, c.targets.at(0), p).max_in_flight;
         };
         return agreed({by_shard(c, of_gate), by_shard(c, of_adapter)});
       },
       "5 + 4", "32 + 32"},
      {"targets.NAME.http.headers", with_http(url), "{X-Team: blue, X-B: c}",
       [](const Config& c) { return pairs(http_target(c).headers); }, "X-Team=blue,X-B=c"},
      {"targets.NAME.http.headers", with_http(url), "{X-Key: '{key}'}",
       [](const Config& c) { return request_of(c).headers; }, "X-Key=billing.example"},
      {"targets.NAME.http.forward_headers", with_http(url), "[x-team]",
       [](const Config& c) { return request_of(c).headers; }, "x-team=blue"},
      {"targets.NAME.http.content_type", with_http(url), "text/csv",
       [](const Config& c) { return http_target(c).content_type; }},
      {"targets.NAME.http.compress", with_http(url), "gzip",
       [](const Config& c) { return http_target(c).gzip ? "gzip" : ""; }},
      {"targets.NAME.http.batch", with_http(url), "{records: 7}",
       [](const Config& c) { return text(http_target(c).batches); }, "true", "false"},
      {"targets.NAME.http.batch.records", with_http(url + ", batch: {}"), "7",
       [](const Config& c) { return text(target(c).batch.records); }},
      {"targets.NAME.http.head_bytes", with_http(url + ", batch: {}"), "3KiB",
       [](const Config& c) { return text(target(c).batch.names); }},
      {"targets.NAME.http.batch.bytes", with_http(url + ", batch: {}"), "3MiB",
       [](const Config& c) { return text(target(c).batch.bytes); }},
      {"targets.NAME.http.batch.linger", with_http(url + ", batch: {}"), "7ms",
       [](const Config& c) { return text(target(c).batch.linger); }},
      {"targets.NAME.http.batch.format", with_http(url + ", batch: {}"), "lines",
       [](const Config& c) { return request_of(c).body; }, "1\n", "[1]"},
      {"targets.NAME.http.batch.format", with_http(url + ", batch: {}"), "length_prefixed",
       [](const Config& c) { return request_of(c).body; }, std::string("\0\0\0\0011", 5), "[1]"},
  };
}

inline std::vector<Row> rows_of_logins() {
  using Kind = http::LoginOptions::Kind;
  const std::string tls = "url: 'https://h/', ";
  const std::string sent = "token_url: 'https://login/t', client_id: me";
  const auto basic = [&](const std::string& o) {
    return with_http(tls + "auth: {basic: {" + o + "}}");
  };
  const auto oauth = [&](const std::string& o) {
    return with_http(tls + "auth: {oauth2: {" + o + "}}");
  };
  const auto secret = [](const http::LoginOptions& o) { return o.secret.value; };
  const auto file = [](const http::LoginOptions& o) { return o.secret.file; };
  const std::string auth = "targets.NAME.http.auth.";
  return {
      {auth + "basic.username", basic("password: hush"), "me",
       login(Kind::basic, [](const http::LoginOptions& o) { return o.username; })},
      {auth + "basic.password", basic("username: me"), "hush", login(Kind::basic, secret)},
      {auth + "basic.password_file",
       basic("username: me"),
       file_with("hush"),
       login(Kind::basic, file),
       {},
       {},
       {"password", "hush"}},
      {auth + "bearer", with_http(tls), "hush", login(Kind::bearer, secret)},
      {auth + "bearer_file", with_http(tls), file_with("hush"), login(Kind::bearer, file)},
      {auth + "oauth2.token_url", oauth("client_id: me, client_secret: hush"),
       "https://login:444/there?x=1",
       login(Kind::oauth2, [](const http::LoginOptions& o) { return url_of(o.token); })},
      {auth + "oauth2.client_id", oauth("token_url: 'https://login/t', client_secret: hush"),
       "someone",
       login(Kind::oauth2, [](const http::LoginOptions& o) { return o.token.client_id; })},
      {auth + "oauth2.client_secret", oauth(sent), "hush", login(Kind::oauth2, secret)},
      {auth + "oauth2.client_secret_file",
       oauth(sent),
       file_with("hush"),
       login(Kind::oauth2, file),
       {},
       {},
       {"client_secret", "hush"}},
      {auth + "oauth2.scope", oauth(sent + ", client_secret: hush"), "read write",
       login(Kind::oauth2, [](const http::LoginOptions& o) { return o.token.scope; })},
      {auth + "oauth2.audience", oauth(sent + ", client_secret: hush"), "billing",
       login(Kind::oauth2, [](const http::LoginOptions& o) { return o.token.audience; })},
  };
}

inline std::vector<Row> rows_of_answers() {
  const std::string url = "url: 'http://h/', ";
  const std::string sign = "targets.NAME.http.sign.", by_body = "targets.NAME.http.by_body[].";
  const std::string one = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
                    other = "whsec_YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAx";
  const auto signs = [&](const std::string& o) { return with_http(url + "sign: {" + o + "}"); };
  const auto rule = [&](const std::string& o) { return with_http(url + "by_body: [{" + o + "}]"); };
  return {
      {sign + "secret", signs(""), one,
       [](const Config& c) { return http_target(c).sign.secret.value; }},
      {sign + "secret_file",
       signs(""),
       file_with(one),
       [](const Config& c) { return http_target(c).sign.secret.file; },
       {},
       {},
       {"secret", one}},
      {sign + "previous_secret", signs("secret: " + one), other,
       [](const Config& c) { return http_target(c).sign.previous_secret.value; }},
      {sign + "previous_secret_file", signs("secret: " + one), file_with(other),
       [](const Config& c) { return http_target(c).sign.previous_secret.file; }},
      {"targets.NAME.http.accept", with_http(url), "[202]", answers_of,
       "200-299 refuse,202-202 accept", ""},
      {"targets.NAME.http.retry", with_http(url), "[423]", answers_of, "423-423 retry", ""},
      {"targets.NAME.http.refuse", with_http(url), "[5xx, 408]", answers_of,
       "500-599 refuse,408-408 refuse", ""},
      {by_body + "json", rule("equals: x, then: retry"), "/error/code",
       [](const Config& c) { return body_rule(c).pointer; }},
      {by_body + "equals", rule("json: /x, then: retry"), "busy",
       [](const Config& c) { return body_rule(c).equals; }},
      {by_body + "then", rule("json: /x, equals: x"), "accept",
       [](const Config& c) { return name_of(body_rule(c).outcome); }},
      {by_body + "then", rule("json: /x, equals: x"), "refuse",
       [](const Config& c) { return name_of(body_rule(c).outcome); }},
  };
}

inline std::vector<Row> rows_of_targets() {
  std::vector<Row> rows = rows_of_urls();
  for (const auto& part : {rows_of_connections(), rows_of_requests(), rows_of_logins(),
                           rows_of_answers(), rows_of_target_logins(), rows_of_topics()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace einlass::app::wiring_table
