// IAM at Amazon MSK as the login at Kafka.
#include "config/file/changes.h"
#include "config/tables/print_config.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::kafka_msk_test {
namespace {

const std::string kIam = "security: aws_msk_iam, aws_region: eu-west-1";

std::string source(const std::string& text) { return top("kafka: {" + text + "}"); }

TEST(KafkaMsk, WhatContradictsIt) {
  const std::string oauth =
      ", oauth: {token_url: 'https://t/token', client_id: c, client_secret: s3}";
  expect_mistakes({
      {source(kIam), ""},
      {source(kIam + ", properties: {ssl.ca.location: f, security.protocol: SASL_SSL}"), ""},
      {source("security: iam"),
       "1:19: kafka.security: 'iam' is not known here; write properties or aws_msk_iam"},
      {source("aws_region: eu-west-1"),
       "1:21: kafka.aws_region: means nothing without security: aws_msk_iam; leave it out"},
      {source("security: aws_msk_iam, aws_region: 'eu-west-1.evil.example'"),
       "1:44: kafka.aws_region: 'eu-west-1.evil.example' is not the name of an AWS region; write "
       "one as eu-west-1"},
      {source(kIam + oauth),
       "1:62: kafka.oauth: stands beside security: aws_msk_iam; keep one of them"},
      {source(kIam + ", properties: {sasl.mechanisms: OAUTHBEARER, sasl.username: u}"),
       "1:85: kafka.properties.sasl.mechanisms: is set by security: aws_msk_iam; leave it out\n"
       "1:113: kafka.properties.sasl.username: is set by security: aws_msk_iam; leave it out"},
      {source(kIam + ", properties: {security.protocol: sasl_plaintext}"),
       "1:87: kafka.properties.security.protocol: is sasl_ssl with security: aws_msk_iam; leave it "
       "out"},
      {kafka("topic: a2, " + kIam + ", properties: {security.protocol: ssl}"),
       "1:112: targets.t.kafka.properties.security.protocol: is sasl_ssl with security: "
       "aws_msk_iam; leave it out"},
  });
}

TEST(KafkaMsk, TheRegionMayStandInTheEnvironment) {
  std::map<std::string, std::string> set;
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
  const auto region = [&](const std::string& text) {
    const auto parsed = parse_config(source(text), "F", environment);
    if (const auto* wrong = std::get_if<Mistakes>(&parsed)) return wrong->front().text;
    return std::get<Config>(parsed).kafka.aws_region;
  };
  EXPECT_EQ(region("security: aws_msk_iam"),
            "missing; write aws_region: eu-west-1, or set AWS_REGION");
  set = {{"AWS_DEFAULT_REGION", "cn-north-1"}};
  EXPECT_EQ(region("security: aws_msk_iam"), "cn-north-1");
  EXPECT_EQ(region(kIam), "eu-west-1");
  EXPECT_EQ(region("security: properties"), "");
  set["AWS_REGION"] = "us-east-1";
  EXPECT_EQ(region("security: aws_msk_iam"), "us-east-1");
  set["AWS_REGION"] = "";
  EXPECT_EQ(region("security: aws_msk_iam"), "cn-north-1");
  set["AWS_REGION"] = "a/b";
  EXPECT_EQ(region("security: aws_msk_iam"),
            "AWS_REGION of the environment is not the name of an AWS region; write one as "
            "eu-west-1");
}

Config read(const std::string& text) {
  const auto parsed = parse_config(text, "F", test_environment);
  return std::holds_alternative<Config>(parsed) ? std::get<Config>(parsed) : Config{};
}

TEST(KafkaMsk, ATargetLogsInAsTheSourceUnlessItSaysOtherwise) {
  const auto target = [](const std::string& text, const std::string& of_source = kIam) {
    const Config config = read("kafka: {" + of_source + "}\n" + kafka("topic: b" + text));
    EXPECT_EQ(config.targets.size(), 1u) << text;
    return config.targets.empty() ? KafkaTarget{} : *config.targets[0].kafka();
  };
  EXPECT_EQ(target("").security, KafkaSecurity::aws_msk_iam);
  EXPECT_EQ(target("").aws_region, "eu-west-1");
  EXPECT_FALSE(target("").own_login);
  for (const std::string another :
       {", brokers: other", ", properties: {sasl.username: u}", ", security: properties",
        ", oauth: {token_url: 'http://o/', client_id: d, client_secret: x}"}) {
    EXPECT_EQ(target(another).security, KafkaSecurity::properties) << another;
  }
  const KafkaTarget own = target(", brokers: other, security: aws_msk_iam");
  EXPECT_TRUE(own.own_login);
  EXPECT_EQ(own.aws_region, "eu-west-1") << "as the source's";
  EXPECT_EQ(target(", brokers: other, security: aws_msk_iam, aws_region: us-east-1").aws_region,
            "us-east-1");
  const KafkaTarget beside =
      target(", " + kIam,
             "properties: {security.protocol: sasl_plaintext, sasl.username: u, client.id: c}");
  EXPECT_EQ(beside.properties, (std::map<std::string, std::string>{{"client.id", "c"}}));
}

TEST(KafkaMsk, IsPrintedAndNeedsARestart) {
  const Config config = read("kafka: {" + kIam + "}\n" + kafka("topic: b"));
  const std::string page = print_config(config);
  EXPECT_NE(page.find("  security: aws_msk_iam\n  aws_region: eu-west-1\n"), page.npos) << page;
  const auto changed = changes(
      config, read("kafka: {security: aws_msk_iam, aws_region: us-east-1}\n" + kafka("topic: b")));
  ASSERT_FALSE(changed.empty());
  for (const Changed& change : changed) EXPECT_NE(change.needs_restart, "") << change.to_string();
}

}  // namespace
}  // namespace einlass::config::kafka_msk_test
