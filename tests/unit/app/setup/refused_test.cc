#include "app/setup/refused.h"

#include <gtest/gtest.h>

#include "unit/config/wrong_config.h"

namespace einlass::app {
namespace {

TEST(RefusedCertificate, is_told_before_anything_starts) {
  config::Admin admin;
  EXPECT_EQ(refused_certificate(admin), "");
  admin.tls = config::AdminTls{"/no/such/file", "/no/such/file"};
  EXPECT_TRUE(refused_certificate(admin).starts_with(
      "admin.tls: no certificate can be read from /no/such/file"));
}

config::Config config_of(const std::string& text) {
  auto read = config::parse_config(text + config::kRoutes, "F", config::test_environment);
  return std::get<config::Config>(std::move(read));
}

TEST(RefusedFiles, are_all_told) {
  const std::string files = "{ca_file: /no/a, cert_file: /no/b, key_file: /no/c, url: ";
  const auto config = config_of("targets: {t: {http: " + files + "https://h/}}}\nredis: " + files +
                                "rediss://h}\n");
  const std::string of_target = refused_files(config), of_redis = refused_files_of_redis(config);
  EXPECT_NE(of_target.find("targets.t.http.ca_file: "), of_target.npos) << of_target;
  EXPECT_NE(of_target.find("\ntargets.t.http.cert_file: "), of_target.npos) << of_target;
  EXPECT_NE(of_redis.find("redis.ca_file: "), of_redis.npos) << of_redis;
  EXPECT_NE(of_redis.find("\nredis.cert_file: "), of_redis.npos) << of_redis;
}

TEST(RefusedFiles, are_keys_that_cannot_sign) {
  const auto told = [](const std::string& sign) {
    return refused_files(config_of("targets: {t: {http: {url: http://h/, sign: " + sign + "}}}\n"));
  };
  EXPECT_EQ(told("{secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}"), "");
  EXPECT_EQ(told("{secret: whsec_c2hvcnQ=, previous_secret: whsk_c2hvcnQ=}"),
            "targets.t.http.sign.secret: it must have 24 to 64 bytes\n"
            "targets.t.http.sign.previous_secret: an ed25519 key has 32 bytes, or 64 with the "
            "public one");
}

TEST(RefusedByKafka, is_told_of_each_cluster_and_once) {
  const auto config = config_of(
      "kafka: {properties: {no.such: x}}\n"
      "targets:\n"
      "  t: {kafka: {topic: b}}\n"
      "  u: {kafka: {topic: c, brokers: [elsewhere], properties: {nor.such: x}}}\n");
  const std::string told = refused_by_kafka(config);
  EXPECT_TRUE(told.starts_with("kafka.properties.no.such: ")) << told;
  EXPECT_NE(told.find("\ntargets.u.kafka.properties.nor.such: "), told.npos) << told;
  EXPECT_EQ(told.find("targets.t"), told.npos) << told;
}

TEST(RefusedClients, are_told_of_what_shows_when_one_is_made) {
  const auto told = [](const std::string& properties, const std::string& of_route) {
    const auto read =
        config::parse_config("kafka: {properties: {" + properties + "}}\n" + config::kTargets +
                                 "routes: [{name: r, topics: [a], target: t" + of_route + "}]\n",
                             "F", config::test_environment);
    return refused_clients(std::get<config::Config>(read));
  };
  EXPECT_EQ(told("client.id: a", ", dead_letter: d"), "");
  for (const std::string properties :
       {"security.protocol: ssl, ssl.ca.location: /no/such/file",
        "security.protocol: sasl_ssl, sasl.mechanisms: PLAIN", "session.timeout.ms: 400000"}) {
    EXPECT_TRUE(told(properties, "").starts_with("kafka.properties: ")) << properties;
  }
  EXPECT_TRUE(told("retries: 0", ", dead_letter: d").starts_with("kafka.properties: "))
      << "of who writes";
  EXPECT_EQ(told("retries: 0", ""), "") << "where nobody does";
  EXPECT_TRUE(told("no.such: x", "").starts_with("kafka.properties.no.such: "));
}

}  // namespace
}  // namespace einlass::app
