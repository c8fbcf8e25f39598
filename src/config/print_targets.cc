#include <string_view>

#include "config/address.h"
#include "config/answers.h"
#include "config/printed_page.h"
#include "config/values.h"

namespace einlass::config {
namespace {

void print_oauth2(PrintedPage& page, const HttpAuth& auth) {
  page.text_hiding("token_url", auth.token_url.url, auth.token_url.path);
  page.text("client_id", auth.client_id);
  page.secret("client_secret", auth.secret);
  page.text_if_any("scope", auth.scope);
  page.text_if_any("audience", auth.audience);
}

void print_auth(PrintedPage& page, const HttpAuth& auth) {
  switch (auth.kind) {
    case HttpAuth::Kind::none:
      return;
    case HttpAuth::Kind::basic:
      return page.section("basic", [&] {
        page.text("username", auth.username);
        page.secret("password", auth.secret);
      });
    case HttpAuth::Kind::bearer:
      return page.secret("bearer", auth.secret);
    case HttpAuth::Kind::oauth2:
      return page.section("oauth2", [&] { print_oauth2(page, auth); });
  }
}

// As they would be written: with doubled braces, but for secrets.
std::vector<std::pair<std::string, std::string>> written_headers(const HttpTarget& http) {
  auto headers = http.headers;
  for (auto& [name, value] : headers) {
    if (!is_secret_name(name)) value = to_text(Template{{TemplatePiece::Kind::text, value}});
  }
  for (const auto& [name, parts] : http.header_templates)
    headers.emplace_back(name, to_text(parts));
  return headers;
}

void print_answers(PrintedPage& page, const HttpTarget& http) {
  static constexpr std::string_view kNames[] = {"accept", "retry", "refuse"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    std::vector<std::string> written;
    for (const StatusMeans& rule : http.by_status) {
      if (rule.means == static_cast<AnswerMeans>(i)) written.push_back(to_text(rule));
    }
    const bool none = i == 0 && http.accept_written;
    if (none || !written.empty()) page.option(std::string(kNames[i]), yaml_list(written));
  }
  if (http.by_body.empty()) return;
  page.section("by_body", [&] {
    for (std::size_t i = 0; i < http.by_body.size(); ++i) {
      const BodyMeans& rule = http.by_body[i];
      page.item(std::to_string(i), [&] {
        page.text("json", rule.pointer);
        page.text("equals", rule.equals);
        page.text("then", kNames[static_cast<std::size_t>(rule.means)]);
      });
    }
  });
}

void print_proxy(PrintedPage& page, const HttpProxy& proxy) {
  if (proxy.host.empty()) return;
  const bool login = !proxy.username.empty() || !proxy.password.empty();
  page.text_hiding(
      "proxy",
      std::string("http://") + (login ? "***@" : "") + to_text(HostPort{proxy.host, proxy.port}),
      proxy.username + ":" + proxy.password);
}

void print_login(PrintedPage& page, const HttpTarget& http) {
  print_proxy(page, http.proxy);
  page.text_if_any("cert_file", http.cert_file);
  page.text_if_any("key_file", http.key_file);
  page.option("verify", http.verify ? "true" : "false");
  if (http.auth.kind != HttpAuth::Kind::none) {
    page.section("auth", [&] { print_auth(page, http.auth); });
  }
  if (http.sign.secret.value.empty()) return;
  page.section("sign", [&] {
    page.secret("secret", http.sign.secret);
    const FileSecret& previous = http.sign.previous_secret;
    if (!previous.value.empty()) page.secret("previous_secret", previous);
  });
}

void print_urls(PrintedPage& page, const HttpTarget& http) {
  std::vector<std::string> urls;
  std::string hidden;
  for (const HttpUrl& url : http.urls) {
    urls.push_back(url.url);
    hidden += " " + url.path;
  }
  if (urls.empty()) {
    hidden = http.path;
    for (const TemplatePiece& piece : http.path_template) hidden += " " + piece.text;
    page.text_hiding("url", http.url, hidden);
  } else {
    page.list_hiding("urls", urls, hidden);
    page.text("balance", http.balance == Balance::by_key ? "key" : "round_robin");
  }
  if (!http.path_template.empty()) page.option("allow_slash", http.allow_slash ? "true" : "false");
  if (http.host_template.empty()) return;
  page.option("allow_hosts", yaml_list(http.allow_hosts));
  page.option("allow_private", http.allow_private ? "true" : "false");
}

void print_batch(PrintedPage& page, const HttpBatch& batch) {
  static constexpr std::string_view kFormats[] = {"json", "lines", "length_prefixed"};
  page.section("batch", [&] {
    page.number("records", batch.records);
    page.option("bytes", to_text(batch.bytes));
    page.option("linger", to_text(batch.linger));
    page.text("format", kFormats[static_cast<std::size_t>(batch.format)]);
  });
}

void print_http_target(PrintedPage& page, const HttpTarget& http) {
  static constexpr std::string_view kHttp2[] = {"auto", "always", "never"};
  page.section("http", [&] {
    print_urls(page, http);
    page.text("method", http.method_template.empty() ? http.method : to_text(http.method_template));
    page.option("timeout", to_text(http.timeout));
    page.number("max_in_flight", static_cast<std::int64_t>(http.max_in_flight));
    print_texts(page, "headers", written_headers(http), may_be_secret);
    page.option("forward_headers", yaml_list(http.forward_headers));
    if (!http.batch) {
      page.text("long_key", http.long_key == LongKey::refuse ? "refuse" : "leave_out");
      page.option("head_bytes", to_text(http.head_bytes));
    }
    page.text("content_type", http.content_type);
    page.text_if_any("ca_file", http.ca_file);
    page.text_if_any("server_name", http.server_name);
    print_login(page, http);
    print_answers(page, http);
    page.text("compress", http.gzip ? "gzip" : "none");
    page.text("http2", kHttp2[static_cast<std::size_t>(http.http2)]);
    if (http.batch) print_batch(page, *http.batch);
  });
}

void print_kafka_target(PrintedPage& page, const KafkaTarget& kafka) {
  page.section("kafka", [&] {
    page.text("topic", kafka.topic);
    page.option("brokers", yaml_list(kafka.brokers));
    print_texts(page, "properties", kafka.properties, is_secret_name);
    if (kafka.oauth) print_kafka_oauth(page, *kafka.oauth);
    page.text("partition", kafka.same_partition ? "same" : "key");
    page.option("exactly_once", kafka.exactly_once ? "true" : "false");
    if (!kafka.exactly_once) {
      page.number("max_in_flight", static_cast<std::int64_t>(kafka.max_in_flight));
    }
    page.option("timeout", to_text(kafka.timeout));
  });
}

}  // namespace

void print_kafka_oauth(PrintedPage& page, const KafkaOauth& oauth) {
  page.section("oauth", [&] {
    print_oauth2(page, oauth.auth);
    page.text_if_any("ca_file", oauth.ca_file);
  });
}

void print_target(PrintedPage& page, const Target& target) {
  page.section(yaml_key(target.name), [&] {
    if (target.kafka) {
      print_kafka_target(page, *target.kafka);
    } else {
      print_http_target(page, target.http);
    }
    page.section("retry", [&] {
      page.option("initial", to_text(target.retry.initial));
      page.option("max", to_text(target.retry.max));
      page.option("budget", std::to_string(target.retry_share) + "%");
    });
    page.section("breaker", [&] {
      page.number("failures", target.breaker.failures);
      page.option("wait", to_text(target.breaker.wait));
      page.option("max_wait", to_text(target.breaker.max_wait));
    });
  });
}

}  // namespace einlass::config
