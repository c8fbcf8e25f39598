// Rows of wiring_table.h: targets that are topics, and what all targets have.
#pragma once

#include <string>
#include <vector>

#include "unit/app/setup/wiring_rows_of_service.h"
#include "unit/app/setup/wiring_table.h"

namespace einlass::app::wiring_table {

// As the source's, of the target's own cluster.
inline std::vector<Row> rows_of_target_logins() {
  const std::string oauth = "targets.NAME.kafka.oauth.";
  const auto with = [](const std::string& o) {
    return with_target("kafka: {topic: b, brokers: [k1], oauth: {" + o + "}}");
  };
  const auto login = [](auto read) {
    return [read](const Config& c) {
      return read(kafka_login_options(*c.targets.at(0).kafka()->oauth));
    };
  };
  const std::string all = kOauth + ", client_secret: hush";
  const auto who_has_tokens = [](const Config& c) {
    boost::asio::io_context io;
    const KafkaLogins logins(io, c, [](const Notice&) {});
    return text(logins.of_source() != nullptr) + " " + text(logins.of_target(0) != nullptr);
  };
  const auto with_iam = [](const std::string& option) {
    return with_target("kafka: {topic: b, brokers: [k1], " + option + "}");
  };
  return {
      {"targets.NAME.kafka.oauth", with_target("kafka: {topic: b, brokers: [k1]}"), "{" + all + "}",
       who_has_tokens, "false true", "false false"},
      {"targets.NAME.kafka.security",
       with_iam("aws_region: eu-west-1"),
       "aws_msk_iam",
       who_has_tokens,
       "false true",
       "false false",
       {"aws_region", ""}},
      {"targets.NAME.kafka.aws_region",
       with_iam("security: aws_msk_iam"),
       "eu-west-1",
       [](const Config& c) {
         return msk_login_options(c.targets.at(0).kafka()->aws_region).region;
       },
       {},
       "",
       {"security", "properties"}},
      {oauth + "token_url", with("client_id: me, client_secret: hush"),
       "https://login:444/there?x=1",
       login([](const KafkaLoginOptions& o) { return url_of(o.login.token); })},
      {oauth + "client_id", with("token_url: 'https://login/t', client_secret: hush"), "someone",
       login([](const KafkaLoginOptions& o) { return o.login.token.client_id; })},
      {oauth + "client_secret", with(kOauth), "hush",
       login([](const KafkaLoginOptions& o) { return o.login.secret.value; })},
      {oauth + "client_secret_file",
       with(kOauth),
       file_with("hush"),
       login([](const KafkaLoginOptions& o) { return o.login.secret.file; }),
       {},
       {},
       {"client_secret", "hush"}},
      {oauth + "scope", with(all), "read write",
       login([](const KafkaLoginOptions& o) { return o.login.token.scope; })},
      {oauth + "audience", with(all), "kafka",
       login([](const KafkaLoginOptions& o) { return o.login.token.audience; })},
      {oauth + "ca_file", with(all), "ca.pem",
       login([](const KafkaLoginOptions& o) { return o.certificates.ca_file; })},
  };
}

inline std::vector<Row> rows_of_topics() {
  const std::string kafka = "targets.NAME.kafka.";
  const auto breaker = [](const Config& c) { return target(c).breaker; };
  const std::string to_hosts = with_http("url: 'http://{key}/', allow_hosts: ['*']");
  const std::string to_several = with_http("urls: ['http://h/', 'http://i/']");
  const auto of_each = [](const Config& c) { return http_target(c).breaker; };
  const auto of_all = [=](const Config& c) { return text(breaker(c).failures); };
  return {
      {kafka + "topic", with_target("kafka: {}"), "other",
       [](const Config& c) { return kafka_target(c).topic; }},
      {kafka + "brokers", kToTopic, "['k1:9093', 'k2:9094']",
       [](const Config& c) { return source(c).brokers + " to " + kafka_target(c).brokers; },
       "127.0.0.1:9092 to k1:9093,k2:9094", "127.0.0.1:9092 to 127.0.0.1:9092"},
      {kafka + "properties", kToTopic, "{client.id: me}",
       [](const Config& c) { return pairs(kafka_target(c).properties); }, "client.id=me"},
      {kafka + "partition", kToTopic, "same",
       [](const Config& c) { return kafka_target(c).same_partition ? "same" : "key"; }},
      {kafka + "exactly_once", kToTopic, "true",
       [](const Config& c) {
         return agreed({text(target(c).transactional), text(target(c).max_in_flight == 1),
                        text(!kafka_target(c).transactional_id.empty())});
       }},
      {kafka + "max_in_flight", with_target("kafka: {topic: b}", "shards: 2\n"), "9",
       [](const Config& c) {
         return by_shard(
             c, [&](ShardNumber p) { return gate_options(c, p, 1).targets.at(0).max_in_flight; });
       },
       "5 + 4", "500 + 500"},
      {kafka + "max_in_flight", kToTopic, "9",
       [](const Config& c) { return text(target(c).max_in_flight); }},
      {kafka + "timeout", kToTopic, "7s",
       [](const Config& c) { return text(kafka_target(c).timeout); }},
      {"targets.NAME.retry.initial", kPlain, "350ms",
       [](const Config& c) { return text(route(c).retry_initial); }},
      {"targets.NAME.retry.max", kPlain, "7s",
       [](const Config& c) { return text(route(c).retry_max); }},
      {"targets.NAME.retry.budget", kPlain, "35%",
       [](const Config& c) { return text(target(c).retry_share) + "%"; }},
      {"targets.NAME.breaker.failures", kPlain, "7",
       [=](const Config& c) { return text(breaker(c).failures); }},
      {"targets.NAME.breaker.failures", to_hosts, "7",
       [=](const Config& c) { return text(of_each(c).failures) + " and " + of_all(c); }, "7 and 0",
       "16 and 0"},
      {"targets.NAME.breaker.failures", to_several, "7",
       [=](const Config& c) {
         return agreed({of_all(c), text(of_each(c).failures)});
       }},
      {"targets.NAME.breaker.wait", kPlain, "350ms",
       [=](const Config& c) { return text(breaker(c).wait); }},
      {"targets.NAME.breaker.wait", to_hosts, "350ms",
       [=](const Config& c) { return text(of_each(c).wait); }},
      {"targets.NAME.breaker.max_wait", kPlain, "7s",
       [=](const Config& c) { return text(breaker(c).max_wait); }},
      {"targets.NAME.breaker.max_wait", to_hosts, "7s",
       [=](const Config& c) { return text(of_each(c).max_wait); }},
  };
}

}  // namespace einlass::app::wiring_table
