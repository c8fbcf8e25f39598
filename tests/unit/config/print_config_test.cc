#include "config/tables/print_config.h"

#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

std::string printed(const std::string& text) {
  const auto result = parse_config(text, "F", test_environment);
  if (std::holds_alternative<Mistakes>(result)) return mistakes_in(text);
  return print_config(std::get<Config>(result));
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(PrintConfig, ReadsBackToTheSame) {
  const std::string texts[] = {
      kTargets + kRoutes,
      contents(project() / "config/gate.yaml"),
      contents(project() / "config/http-shared-limit.yaml"),
      contents(project() / "config/per-tenant.yaml"),
      contents(project() / "config/redis-cluster.yaml"),
      contents(project() / "config/redis-sentinel.yaml"),
      contents(project() / "config/concurrency.yaml"),
      contents(project() / "config/bytes.yaml"),
      top("admin: {tls: {cert_file: /a b, key_file: 'on'}}"),
      top("admin: {listen: '[::1]:80'}\ndrain_timeout: 1.5s"),
      top("redis: {url: rediss://h:1/2, ca_file: /a b, server_name: 'on', cert_file: /c,\n"
          "  key_file: /k}"),
      top("redis: {url: 'unix:///run/a%20%3F.sock?db=2'}"),
      top("kafka: {group: 'no', brokers: 'a,b', properties: {a: 'x: y', b: \"1\\t\\n$$\", c: ''}}"),
      http("headers: {X: ' a ', Y: \"q\\\"\\\\\", $Z: '$${{HOME}}', 'on': 'null'}, method: PUT"),
      http("long_key: leave_out, forward_headers: [x-a, x-b], content_type: 'text/plain; "
           "charset=utf-8'"),
      http("auth: {basic: {username: a, password: b}}"),
      http("auth: {bearer: a}, accept: []"),
      http("accept: [200, 2xx], retry: [409], refuse: [5xx, 401], by_body: [{json: /a, equals: 'b "
           "c', then: accept}, {json: /d, equals: 'true', then: refuse}]"),
      targets("{t: {http: {url: https://h/, cert_file: /a, key_file: /b, verify: false}}}"),
      http("auth: {oauth2: {token_url: 'https://h:1/t?a=b', client_id: a, client_secret: b, scope: "
           "'c d', audience: e}}"),
      http("http2: always"),
      http("compress: gzip, proxy: 'http://p:3128'"),
      http("method: '{header:verb}', headers: {X-A: 'a-{{{json:/b~1c}}}', X-Api-Key: '{'}"),
      url("'https://h:8443/{{a}}/{key}?b={header:c d}&e={json:/f}'"),
      url("'http://h/{key}', allow_slash: true"),
      url("'http://{header:host}.example:81/a', allow_hosts: ['*.example', b], allow_private: "
          "true"),
      targets("{t: {http: {urls: ['http://a/', 'http://b:81/c?d=e'], balance: key}}}"),
      http("http2: never"),
      log_limit("key: 'json:/a~1b/$$c', horizon: 0, use_within: 1us, cost: 3"),
      log_limit("key: 'header:x y', strict: true"),
      limit("algorithm: token_bucket, rate: 7/13s, burst: 5, start: empty"),
      limit("algorithm: token_bucket, rate: 1000000/s, burst: 5"),
      limit("algorithm: fixed_window, limit: 5, window: 90s, align: key, key: topic"),
      limit("algorithm: counter, limit: 5, window: 1d, burst: 2"),
      limit("algorithm: sliding_window, limit: 5, window: 1s, slices: 7, log: newest"),
      limit("algorithm: leaky_bucket, rate: 1/3s, capacity: 5, mode: queue"),
      limit("algorithm: smooth, rate: 3/s, burst: 5, timeout: 0, pay: next"),
      limit("algorithm: smooth, rate: 3/s, warm_up: 10s"),
      limit("algorithm: concurrency, limit: 3, lease: 1m, cost: 'header:$$w', default_cost: 2"),
      log_limit("key: record_key, cost: 'json:/a/b', bad_key: dead_letter, spread: true, store: "
                "redis, on_outage: pass"),
      top("tracing: {url: 'http://h:4318/v1/traces'}"),
      top("tracing: {url: 'https://h/x?y=z', ca_file: /a}"),
      log_limit("shadow: true, store: redis"),
      top("instances: 3\nredis: {wait_replicas: 2, cluster: true}"),
      top("redis: {url: 'redis://h/3', sentinel: {addresses: [a, '[::1]:7'], name: m}}"),
      kafka("topic: b"),
      "kafka: {brokers: h, properties: {a: b}}\n" +
          kafka("topic: b, partition: same, properties: {a: c, linger.ms: 5}, timeout: 1s"),
      kafka("topic: b, brokers: [a, b], max_in_flight: 7"),
      kafka("topic: b, exactly_once: true, timeout: 2m"),
      route("limits: [m], order: none, dead_letter: d, retry: {attempts: 3}, largest_record: 5MiB"),
      kLimits +
          "targets: {t: {http: {url: http://h/}, retry: {initial: 1s, budget: 7%}, breaker: "
          "{failures: "
          "0, wait: 3s}}}\n" +
          kRoutes,
  };
  for (const std::string& text : texts) {
    const std::string once = printed(text);
    EXPECT_EQ(printed(once), once) << text;
  }
}

// What holds for a part of a file by another part of it.
TEST(PrintConfig, WhatIsSaidElsewhereReadsBackToTheSame) {
  const std::string counter = "algorithm: counter, limit: 9, window: 1s, key: topic, burst: ";
  for (const std::string& text :
       {limit(counter + "9, overrides: {a: {limit: 5}}"),
        limit(counter + "7, overrides: {a: {limit: 5}, b: {limit: 9, burst: 3}}"),
        "kafka: {brokers: h, properties: {message.timeout.ms: 60000, "
        "queue.buffering.max.messages: 5}}\n" +
            kafka("topic: b")}) {
    const std::string once = printed(text);
    EXPECT_EQ(printed(once), once) << text;
  }
}

TEST(PrintConfig, DefaultsAreFilledIn) {
  const std::string text = printed(contents(project() / "config/gate.yaml"));
  EXPECT_TRUE(has_line(text, "  listen: \"127.0.0.1:9465\"")) << text;
  EXPECT_TRUE(has_line(text, "  url: redis://127.0.0.1:6379/0"));
  EXPECT_TRUE(has_line(text, "    use_within: 100ms"));
  EXPECT_TRUE(has_line(text, "      initial: 200ms"));
}

TEST(PrintConfig, TheHorizonIsWhatTheAlgorithmBears) {
  const auto has_horizon = [](const std::string& parameters, const std::string& horizon) {
    return has_line(printed(limit("algorithm: " + parameters)), "    horizon: " + horizon);
  };
  EXPECT_TRUE(has_horizon("sliding_log, limit: 1, window: 1s", "500ms"));
  EXPECT_TRUE(has_horizon("smooth, rate: 1/s, burst: 1, timeout: 7s", "7s"));
  EXPECT_TRUE(has_horizon("smooth, rate: 1/s, warm_up: 5s", "1s"));
  EXPECT_TRUE(has_horizon("leaky_bucket, rate: 1/s, capacity: 1, mode: queue", "500ms"));
  EXPECT_TRUE(has_horizon("leaky_bucket, rate: 1/s, capacity: 1", "0s"));
  EXPECT_TRUE(has_horizon("counter, limit: 1, window: 1s", "0s"));
  EXPECT_TRUE(has_horizon("counter, limit: 1, window: 1s, horizon: 3s", "3s"));
}

TEST(PrintConfig, LoginsAreStars) {
  const std::string text = printed(
      targets("{t: {http: {url: http://h/, auth: {bearer: hunter2},\n"
              "  sign: {secret: whsec_hunter2, previous_secret: whsk_hunter2}}},\n"
              " u: {http: {url: http://h/, auth: {basic: {username: a, password: hunter2}}}},\n"
              " v: {http: {url: http://h/, auth: {oauth2: {token_url: 'http://h/?token=hunter2',\n"
              "  client_id: a, client_secret: hunter2}}}}}"));
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, "        bearer: \"***\"")) << text;
  EXPECT_TRUE(has_line(text, "        previous_secret: \"***\"")) << text;
  EXPECT_TRUE(has_line(text, "          client_secret: \"***\"")) << text;
}

TEST(PrintConfig, HeadersAndQueriesThatMayBeSecretAreStars) {
  for (const std::string name : {"X-Access-Key", "X-Passwd", "X-Signature", "X-Auth", "X-Pass",
                                 "x_foo_key", "X-Login", "X-Session-Id", "sig", "X-Credentials"}) {
    const std::string text = printed("targets: {t: {http: {url: 'http://h/?a=b&" + name +
                                     "=hunter2', headers: {" + name + ": hunter2}}}}\n" + kRoutes);
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    EXPECT_TRUE(has_line(text, "        " + name + ": \"***\"")) << text;
    EXPECT_TRUE(has_line(text, "      url: \"http://h/?a=b&" + name + "=***\"")) << text;
  }
  const std::string text = printed(
      "targets: {t: {http: {url: 'http://h/?Idempotency-Key=me&author=me&monkey=me',\n"
      "  headers: {X-Source: me, Accept: me, X-Author: me, X-Compass: me}}}}\n" +
      kRoutes);
  EXPECT_EQ(text.find("***"), std::string::npos) << text;
}

// But for where it leads to, which stands in the log too.
TEST(PrintConfig, AUrlInAFileIsAsSecretAsAPassword) {
  const TemporaryFile file("https://h:81/hook/T0/ab%2Fcd?v={key}.x\n");
  const Config config = std::get<Config>(
      parse_config(targets("{t: {http: {url_file: " + file.path() + "}}}"), "F", test_environment));
  const HttpTarget& http = *config.targets[0].http();
  EXPECT_EQ(http.url, "https://h:81/***");
  EXPECT_EQ(http.secrets, (std::vector<std::string>{"hook", "T0", "ab/cd", "v", ".x"}));
  EXPECT_EQ(http.path_template.front().text, "/hook/T0/ab%2Fcd?v=");
  EXPECT_TRUE(has_line(print_config(config), "      url_file: \"" + file.path() + "\""));
}

TEST(PrintConfig, SecretsAreStars) {
  const std::string text = printed(
      "redis: {url: 'rediss://user:hunter2@h', sentinel: {addresses: [s], password: hunter2}}\n"
      "kafka: {properties: {sasl.password: hunter2, ssl.key.password: hunter2,\n"
      "  sasl.oauthbearer.client.secret: hunter2, sasl.username: me,\n"
      "  sasl.oauthbearer.assertion.private.key.pem: hunter2, sasl.jaas.config: hunter2,\n"
      "  sasl.oauthbearer.assertion.private.key.passphrase: hunter2}}\n"
      "targets: {t: {http: {url: 'http://h/?a=b&api_key=hunter2&token=hunter2',\n"
      "  headers: {Authorization: Bearer hunter2, X-Api-Key: hunter2, X-Source: me,\n"
      "  CB-ACCESS-PASSPHRASE: hunter2, X-Jwt: hunter2}}}}\n" +
      kRoutes);
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, "  password: \"***\""));
  EXPECT_TRUE(has_line(text, "    password: \"***\""));
  EXPECT_TRUE(has_line(text, "    sasl.password: \"***\""));
  EXPECT_TRUE(has_line(text, "    sasl.username: me"));
  EXPECT_TRUE(has_line(text, "        Authorization: \"***\""));
  EXPECT_TRUE(has_line(text, "        X-Source: me"));
  EXPECT_TRUE(has_line(text, "      url: \"http://h/?a=b&api_key=***&token=***\""));
}

TEST(PrintConfig, APasswordFileIsItsPath) {
  const TemporaryFile file("hunter2\n");
  const std::string text =
      printed("kafka: {properties: {sasl.password_file: " + file.path() + "}}\n" +
              "targets: {t: {kafka: {topic: a}}, u: {kafka: {topic: b, properties: {sasl.password: "
              "p}}}}\n" +
              "routes: [{name: r, topics: [x], target: t}, {name: s, topics: [y], target: u}]\n");
  EXPECT_TRUE(has_line(text, "    sasl.password_file: \"" + file.path() + "\"")) << text;
  EXPECT_TRUE(has_line(text, "        sasl.password_file: \"" + file.path() + "\"")) << text;
  EXPECT_TRUE(has_line(text, "        sasl.password: \"***\"")) << text;
}

TEST(PrintConfig, AConditionForNothing) {
  const std::string text = printed(route("filter: [{by: topic, equals: ''}]"));
  EXPECT_TRUE(has_line(text, "        equals: \"\"")) << text;
  EXPECT_EQ(mistakes_in(text), "");
}

TEST(PrintConfig, TokensInUrlsAreStars) {
  const std::string text = printed(targets(
      "{t: {http: {url: 'http://h/hooks/hunter2hunter2hunter2'}},\n"
      " u: {http: {urls: ['http://h/a?code=hunter2hunter2', 'http://i/a?code=hunter2h']}},\n"
      " v: {http: {url: 'http://h/{key}?code=hunter2hunter2'}}}"));
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, "      url: \"http://h/hooks/***\"")) << text;
  EXPECT_TRUE(has_line(text, "      url: \"http://h/{key}?code=***\"")) << text;
}

}  // namespace
}  // namespace einlass::config
