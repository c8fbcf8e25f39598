// Access tokens as the login at Kafka.
#include "config/file/changes.h"
#include "config/tables/print_config.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::kafka_oauth_test {
namespace {

const std::string kOauth = "oauth: {token_url: 'https://t/token', client_id: c, client_secret: s3}";

std::string source(const std::string& text) { return top("kafka: {" + text + "}"); }

TEST(KafkaOauth, WhatIsMissingOrTwice) {
  expect_mistakes({
      {source(kOauth), ""},
      {source("properties: {security.protocol: SASL_PLAINTEXT}, " + kOauth), ""},
      {source("oauth: {}"),
       "1:16: kafka.oauth.token_url: missing; write token_url: https://HOST/PATH\n"
       "1:16: kafka.oauth.client_id: missing; write client_id: NAME\n"
       "1:16: kafka.oauth.client_secret: missing; write client_secret_file: PATH"},
      {source("oauth: {token_url: 'http://t/', client_id: c, client_secret: s, ca_file: /a}"),
       "1:82: kafka.oauth.ca_file: means nothing without TLS; write an https:// URL, or leave it "
       "out"},
      {source("properties: {sasl.username: u}, " + kOauth),
       "1:37: kafka.properties.sasl.username: is another login than oauth; leave one of them out"},
      {source("properties: {sasl.mechanisms: PLAIN}, " + kOauth),
       "1:39: kafka.properties.sasl.mechanisms: is another login than oauth; leave one of them "
       "out"},
      {source("properties: {security.protocol: ssl}, " + kOauth),
       "1:41: kafka.properties.security.protocol: sends no token; write sasl_ssl, or leave it out"},
      {kafka("topic: a2, properties: {sasl.oauthbearer.config: x}, " + kOauth),
       "1:72: targets.t.kafka.properties.sasl.oauthbearer.config: is another login than oauth; "
       "leave one of them out"},
  });
}

Config read(const std::string& text) {
  const auto parsed = parse_config(text, "F", test_environment);
  return std::holds_alternative<Config>(parsed) ? std::get<Config>(parsed) : Config{};
}

TEST(KafkaOauth, ATargetLogsInAsTheSourceUnlessItSaysOtherwise) {
  const auto target = [](const std::string& text) {
    const Config config = read("kafka: {" + kOauth + "}\n" + kafka("topic: b" + text));
    EXPECT_EQ(config.targets.size(), 1u) << text;
    return config.targets.empty() ? KafkaTarget{} : *config.targets[0].kafka();
  };
  EXPECT_EQ(target("").oauth.value_or(HttpAuth{}).client_id, "c");
  EXPECT_FALSE(target("").own_login);
  EXPECT_FALSE(target(", brokers: other").oauth) << "another cluster";
  EXPECT_FALSE(target(", properties: {sasl.username: u}").oauth) << "a login of its own";
  EXPECT_TRUE(target(", properties: {linger.ms: 5}").oauth);
  const KafkaTarget own =
      target(", brokers: other, oauth: {token_url: 'http://o/', client_id: d, client_secret: x}");
  EXPECT_EQ(own.oauth.value_or(HttpAuth{}).client_id, "d");
  EXPECT_TRUE(own.own_login);
}

TEST(KafkaOauth, ATargetWithItsOwnTakesNothingOfTheSourcesLogin) {
  const Config config = read(
      "kafka: {properties: {security.protocol: ssl, sasl.mechanisms: PLAIN, sasl.username: u, "
      "sasl.password: p, ssl.ca.location: f}}\n" +
      kafka("topic: b, " + kOauth));
  ASSERT_EQ(config.targets.size(), 1u);
  EXPECT_EQ(config.targets[0].kafka()->properties,
            (std::map<std::string, std::string>{{"ssl.ca.location", "f"}}));
}

TEST(KafkaOauth, IsPrintedWithoutItsSecretAndNeedsARestart) {
  const Config config = read("kafka: {" + kOauth + "}\n" + kafka("topic: b"));
  const std::string page = print_config(config);
  EXPECT_NE(page.find("  oauth:\n    token_url: https://t/token\n"), page.npos) << page;
  EXPECT_EQ(page.find("s3"), page.npos);
  std::string other = "kafka: {" + kOauth + "}\n" + kafka("topic: b");
  other.replace(other.find("s3"), 2, "s4");
  const auto changed = changes(config, read(other));
  ASSERT_FALSE(changed.empty());
  for (const Changed& change : changed) EXPECT_NE(change.needs_restart, "") << change.to_string();
}

}  // namespace
}  // namespace einlass::config::kafka_oauth_test
