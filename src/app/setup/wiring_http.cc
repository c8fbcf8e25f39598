// What speaks HTTP: the targets, the collector of spans, the token servers, the admin pages.
#include "app/setup/aws_options.h"
#include "app/setup/wiring.h"
#include "config/file/read_config.h"
#include "units/check.h"
#include "units/fleet_table.h"

namespace einlass::app {
namespace {

http::AnswerOptions answer_options(const config::HttpTarget& target) {
  http::AnswerOptions options;
  if (target.accept_written) options.by_status.push_back({200, 299, core::Outcome::refused});
  for (const config::StatusMeans& rule : target.by_status) {
    options.by_status.push_back(
        {static_cast<unsigned>(rule.first), static_cast<unsigned>(rule.last), rule.means});
  }
  for (const config::BodyMeans& rule : target.by_body) {
    options.by_body.push_back({rule.pointer, rule.equals, rule.means});
  }
  return options;
}

http::Http2 http2_of(config::Http2 http2) {
  switch (http2) {
    case config::Http2::automatic:
      return http::Http2::automatic;
    case config::Http2::always:
      return http::Http2::always;
    case config::Http2::never:
      return http::Http2::never;
  }
  CHECK(false);
}

}  // namespace

net::SecretOptions secret_options(const config::FileSecret& secret) {
  return {secret.value, secret.file};
}

http::LoginOptions login_options(const config::HttpAuth& auth) {
  using Kind = http::LoginOptions::Kind;
  static constexpr Kind kKinds[] = {Kind::basic, Kind::bearer, Kind::oauth2};
  http::LoginOptions options;
  options.kind = kKinds[static_cast<std::size_t>(auth.kind)];
  options.username = auth.username;
  options.secret = secret_options(auth.secret);
  const config::HttpUrl& url = auth.token_url;
  options.token = {url.tls,        url.host,   url.port,     url.path,
                   auth.client_id, auth.scope, auth.audience};
  return options;
}

KafkaLoginOptions kafka_login_options(const config::HttpAuth& oauth) {
  return {login_options(oauth), {.ca_file = oauth.ca_file, .cert_file = {}, .key_file = {}}};
}

MskLoginOptions msk_login_options(const std::string& region) {
  return {region, aws_options(config::process_environment())};
}

http::TargetOptions target_options(const config::Config& config, const config::Target& target,
                                   ShardNumber shard) {
  const auto& http = std::get<config::HttpTarget>(target.kind);
  http::TargetOptions options;
  options.name = target.name;
  options.tls = http.tls;
  options.host = http.host;
  options.port = http.port;
  options.path = http.path;
  options.method = http.method;
  options.headers = http.headers;
  options.content_type = http.content_type;
  options.certificates = {http.ca_file, http.cert_file, http.key_file, http.verify};
  options.server_name = http.server_name;
  options.url_secrets = http.secrets;
  // Those besides the first, which this one is.
  for (std::size_t i = 1; i < http.urls.size(); ++i) {
    const config::HttpUrl& url = http.urls[i];
    options.others.push_back({url.host, url.port, url.path});
    options.url_secrets.insert(options.url_secrets.end(), url.secrets.begin(), url.secrets.end());
  }
  options.balance =
      http.balance == config::Balance::by_key ? http::Balance::by_key : http::Balance::round_robin;
  options.host_of_record = !http.host_template.empty();
  if (options.host_of_record || !options.others.empty()) {
    options.breaker = breaker_options(config, target);
  }
  options.allow_private = http.allow_private;
  options.gzip = http.gzip;
  options.proxy = {http.proxy.host, http.proxy.port, http.proxy.username, http.proxy.password};
  if (http.auth) options.login = login_options(*http.auth);
  if (http.sign) {
    options.sign = {secret_options(http.sign->secret), secret_options(http.sign->previous_secret)};
  }
  options.answers = answer_options(http);
  options.http2 = http2_of(http.http2);
  options.batches = http.batch.has_value();
  options.timeout = http.timeout;
  options.max_in_flight =
      static_cast<std::size_t>(shard.part(static_cast<std::int64_t>(http.max_in_flight)));
  return options;
}

http::TargetOptions collector_options(const config::Config& config) {
  config::Target collector;
  collector.name = "tracing (the collector)";
  auto& http = collector.kind.emplace<config::HttpTarget>(*config.tracing);
  http.content_type = "application/json";
  http.max_in_flight = 1;
  return target_options(config, collector, ShardNumber{});
}

http::ServerOptions admin_options(const config::Admin& admin) {
  http::ServerOptions options;
  options.host = admin.listen.host;
  options.port = admin.listen.port;
  options.max_body_bytes = kLongestTableValue;  // What becomes an entry of the fleet's table.
  if (admin.tls) options.certificate = {admin.tls->cert_file, admin.tls->key_file};
  return options;
}

}  // namespace einlass::app
