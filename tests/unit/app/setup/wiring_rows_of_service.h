// Rows of wiring_table.h: the gate itself, Kafka, Redis, tracing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "adapters/redis/table/hash_table.h"
#include "app/asking/admin_client.h"
#include "app/pages/admin_door.h"
#include "app/setup/kafka_logins.h"
#include "app/steering/make_table.h"
#include "app/tracing/spans.h"
#include "app/tracing/tracing.h"
#include "unit/app/setup/wiring_table.h"

namespace einlass::app::wiring_table {

inline const std::string kToTopic = with_target("kafka: {topic: b}");
inline const std::string kInRedis = around(kLog + ", store: redis");

inline std::string inside_redis(const std::string& options) {
  return kInRedis + "redis: {" + options + "}\n";
}

inline std::string of_severity(Severity least) {
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(least)];
}

// The token that opens the pages: this one, none, or another.
inline std::string token_of_pages(const Config& c) {
  AdminDoor door(c.admin, [](const Notice&) {});
  if (door.may_know_all("")) return "";
  return door.may_know_all("Bearer open-sesame") ? "open-sesame" : "another";
}

inline std::string certificate_of_pages(const Config& c,
                                        std::string http::CertificateFiles::*file) {
  const auto& certificate = admin_options(c.admin).certificate;
  return certificate ? (*certificate).*file : "";
}

// What kind of table is opened: "true" for one in Redis. Nothing connects while nothing turns.
inline std::string table_of_quotas(const Config& c) {
  if (!c.quotas) return "false";
  struct Nobody final : FleetTable::Listener {
    void reading() override {}
    void entry(std::string_view, std::optional<std::string_view>) override {}
    void whole() override {}
    void away(const std::string&) override {}
  } nobody;
  boost::asio::io_context io;
  const Notify none = [](const Notice&) {};
  const KafkaLogins logins(io, c, none);
  const auto table = make_table(io, c, logins, nobody, none);
  return dynamic_cast<redis::HashTable*>(table.get()) != nullptr ? "true" : "false";
}

inline std::string url_of(bool tls, const std::string& host, std::uint16_t port,
                          const std::string& path) {
  return (tls ? "https://" : "http://") + to_text(config::HostPort{host, port}) + path;
}
inline std::string url_of(const http::TokenOptions& token) {
  return url_of(token.tls, token.host, token.port, token.path);
}

inline std::string redis_url(const redis::StoreOptions& options) {
  return (options.tls ? "rediss://" : "redis://") +
         to_text(config::HostPort{options.host, options.port}) + "/" +
         std::to_string(options.database);
}

inline std::string reset_of(const Config& c) {
  static constexpr const char* kNames[] = {"error", "earliest", "latest"};
  return agreed({kNames[static_cast<std::size_t>(source(c).auto_offset_reset)],
                 kNames[static_cast<std::size_t>(offset_reset(c))]});
}

// What of a login for Kafka the row compares, of the source and of a target that logs in as it.
template <class Read>
std::function<std::string(const Config&)> kafka_login(Read read) {
  return [read](const Config& c) -> std::string {
    if (!c.kafka.oauth) return "";
    return agreed({read(kafka_login_options(*c.kafka.oauth)),
                   read(kafka_login_options(*c.targets.at(0).kafka()->oauth))});
  };
}

// Whether source and target log in with tokens.
inline std::string has_tokens(const Config& c) {
  boost::asio::io_context io;
  const KafkaLogins logins(io, c, [](const Notice&) {});
  return agreed({text(logins.of_source() != nullptr), text(logins.of_target(0) != nullptr)});
}

inline std::string with_oauth(const std::string& options) {
  return kToTopic + "kafka: {oauth: {" + options + "}}\n";
}
inline const std::string kOauth = "token_url: 'https://login/t', client_id: me";

inline std::vector<Row> rows_of_process() {
  return {
      {"instance",
       with_top("tracing: {url: 'http://o/v1'}\n"),
       "gate-7",
       [](const Config& c) {
         const std::string sent = SpanRequest(process_options(c).instance).body({});
         const bool told = sent.find("\"" + c.instance + "\"") != std::string::npos;
         return agreed({process_options(c).instance, source(c).instance,
                        told ? process_options(c).instance : sent});
       },
       {},
       "gate-1"},
      {"instance", with_target("kafka: {topic: b, exactly_once: true}"), "gate-7",
       [](const Config& c) { return kafka_target(c).transactional_id; }, "einlass:einlass:gate-7:t",
       "einlass:einlass:gate-1:t"},
      {"shards", kPlain, "3",
       [](const Config& c) { return by_shard(c, [](ShardNumber shard) { return shard.of; }); },
       "3 + 3 + 3", "1"},
      {"shards", with_top("kafka: {static_membership: true}\n"), "2",
       [](const Config& c) {
         return by_shard(c, [&](ShardNumber shard) { return source_options(c, shard).instance; });
       },
       "gate-1-0 + gate-1-1", "gate-1"},
      {"instances", kInRedis, "4",
       [](const Config& c) {
         const ProcessLimits process(c);
         return text(std::get<limits::SlidingLogParameters>(process.share(0)->parameters).limit);
       },
       "25", "100"},
      {"drain_timeout", kPlain, "7s",
       [](const Config& c) { return text(process_options(c).drain_timeout); }},
      {"watchdog", kPlain, "7s", [](const Config& c) { return text(process_options(c).watchdog); }},
      {"inside.records", kTwoShards, "5001",
       [](const Config& c) {
         return by_shard(c, [&](ShardNumber p) { return gate_options(c, p, 1).inside_records; });
       },
       "2501 + 2500", "50000 + 50000"},
      {"inside.records", kPlain, "5001",
       [](const Config& c) { return text(gate(c).inside_records); }},
      {"inside.bytes", kTwoShards, "64MiB",
       [](const Config& c) {
         return by_shard(c, [&](ShardNumber p) { return gate_options(c, p, 1).inside_bytes; });
       },
       "32MiB + 32MiB", "128MiB + 128MiB"},
      {"inside.bytes", kPlain, "64MiB", [](const Config& c) { return text(gate(c).inside_bytes); }},
      {"log.level", kPlain, "debug",
       [](const Config& c) { return of_severity(process_options(c).least); }},
      {"log.level", kPlain, "warning",
       [](const Config& c) { return of_severity(process_options(c).least); }},
      {"log.level", kPlain, "error",
       [](const Config& c) { return of_severity(process_options(c).least); }},
      {"log.format", kPlain, "json",
       [](const Config& c) {
         return process_options(c).format == log::Format::json ? "json" : "logfmt";
       }},
  };
}

inline std::vector<Row> rows_of_admin() {
  return {
      {"admin.listen", kPlain, "127.0.0.2:7777",
       [](const Config& c) {
         const http::ServerOptions served = admin_options(c.admin);
         const http::TargetOptions asked = admin_request(c.admin, "/");
         return agreed({to_text(config::HostPort{served.host, served.port}),
                        to_text(config::HostPort{asked.host, asked.port})});
       }},
      {"admin.token", kPlain, "open-sesame", token_of_pages},
      {"admin.token_file", kPlain, file_with("open-sesame"),
       [](const Config& c) {
         return token_of_pages(c) == "" ? "" : secret_options(c.admin.token).file;
       }},
      {"admin.tls.cert_file", with_top("admin: {tls: {key_file: k.pem}}\n"), "c.pem",
       [](const Config& c) {
         return agreed({certificate_of_pages(c, &http::CertificateFiles::cert_file),
                        admin_request(c.admin, "/").certificates.only_cert_file});
       }},
      {"admin.tls.key_file", with_top("admin: {tls: {cert_file: c.pem}}\n"), "k.pem",
       [](const Config& c) { return certificate_of_pages(c, &http::CertificateFiles::key_file); }},
  };
}

inline std::vector<Row> rows_of_kafka() {
  return {
      {"kafka.brokers", kToTopic, "[k1:9093, 'k2:9094']",
       [](const Config& c) {
         return agreed(
             {source(c).brokers, dead_letters_options(c).brokers, kafka_target(c).brokers});
       },
       "k1:9093,k2:9094"},
      {"kafka.group", kPlain, "others", [](const Config& c) { return source(c).group; }},
      {"kafka.group", with_target("kafka: {topic: b, exactly_once: true}"), "others",
       [](const Config& c) { return kafka_target(c).transactional_id; }, "einlass:others:gate-1:t",
       "einlass:einlass:gate-1:t"},
      {"kafka.static_membership", kPlain, "false",
       [](const Config& c) { return text(!source(c).instance.empty()); }},
      {"kafka.commit_interval", kPlain, "350ms",
       [](const Config& c) { return text(gate(c).commit_interval); }},
      {"kafka.commit_records", kPlain, "350",
       [](const Config& c) { return text(gate(c).commit_records); }},
      {"kafka.revoke_timeout", kPlain, "7s",
       [](const Config& c) { return text(source(c).revoke_timeout); }},
      {"kafka.auto_offset_reset", kPlain, "error", reset_of},
      {"kafka.auto_offset_reset", kPlain, "latest", reset_of},
      {"kafka.properties", kToTopic, "{client.id: me}",
       [](const Config& c) {
         return agreed({pairs(source(c).properties), pairs(dead_letters_options(c).properties),
                        pairs(kafka_target(c).properties)});
       },
       "client.id=me"},
      {"kafka.oauth", kToTopic, "{" + kOauth + ", client_secret: hush}", has_tokens, "true",
       "false"},
      {"kafka.security",
       kToTopic + "kafka: {aws_region: eu-west-1}\n",
       "aws_msk_iam",
       has_tokens,
       "true",
       "false",
       {"aws_region", ""}},
      {"kafka.aws_region",
       kToTopic + "kafka: {security: aws_msk_iam}\n",
       "eu-west-1",
       [](const Config& c) {
         return agreed({msk_login_options(c.kafka.aws_region).region,
                        msk_login_options(c.targets.at(0).kafka()->aws_region).region});
       },
       {},
       "",
       {"security", "properties"}},
      {"kafka.oauth.token_url", with_oauth("client_id: me, client_secret: hush"),
       "https://login:444/there?x=1",
       kafka_login([](const KafkaLoginOptions& o) { return url_of(o.login.token); })},
      {"kafka.oauth.client_id", with_oauth("token_url: 'https://login/t', client_secret: hush"),
       "someone", kafka_login([](const KafkaLoginOptions& o) { return o.login.token.client_id; })},
      {"kafka.oauth.client_secret", with_oauth(kOauth), "hush",
       kafka_login([](const KafkaLoginOptions& o) { return o.login.secret.value; })},
      {"kafka.oauth.client_secret_file",
       with_oauth(kOauth),
       file_with("hush"),
       kafka_login([](const KafkaLoginOptions& o) { return o.login.secret.file; }),
       {},
       {},
       {"client_secret", "hush"}},
      {"kafka.oauth.scope", with_oauth(kOauth + ", client_secret: hush"), "read write",
       kafka_login([](const KafkaLoginOptions& o) { return o.login.token.scope; })},
      {"kafka.oauth.audience", with_oauth(kOauth + ", client_secret: hush"), "kafka",
       kafka_login([](const KafkaLoginOptions& o) { return o.login.token.audience; })},
      {"kafka.oauth.ca_file", with_oauth(kOauth + ", client_secret: hush"), "ca.pem",
       kafka_login([](const KafkaLoginOptions& o) { return o.certificates.ca_file; })},
  };
}

inline std::vector<Row> rows_of_redis() {
  const std::string tls = "url: 'rediss://h/'";
  const std::string sentinel = "sentinel: {addresses: [s1]}";
  return {
      {"redis.url", kInRedis, "rediss://h2:7001/3",
       [](const Config& c) { return redis_url(redis_store(c)); }},
      {"redis.url", kInRedis, "unix:///run/redis.sock?db=2",
       [](const Config& c) { return redis_store(c).host + " " + text(redis_store(c).database); },
       "/run/redis.sock 2", "127.0.0.1 0"},
      {"redis.username", inside_redis("password: hush"), "me",
       [](const Config& c) { return redis_store(c).login.username; }},
      {"redis.password", kInRedis, "hush",
       [](const Config& c) { return redis_store(c).login.password; }},
      {"redis.password_file", kInRedis, file_with("hush"),
       [](const Config& c) { return redis_store(c).login.password_file; }},
      {"redis.namespace", kInRedis, "others",
       [](const Config& c) { return redis_store(c).name_space; }},
      {"redis.timeout", kInRedis, "350ms",
       [](const Config& c) { return text(redis_store(c).timeout); }},
      {"redis.ca_file", inside_redis(tls), "ca.pem",
       [](const Config& c) { return redis_store(c).tls_files.ca; }},
      {"redis.cert_file",
       inside_redis(tls + ", key_file: k.pem"),
       "c.pem",
       [](const Config& c) { return redis_store(c).tls_files.certificate; },
       {},
       {},
       {"key_file", ""}},
      {"redis.key_file",
       inside_redis(tls + ", cert_file: c.pem"),
       "k.pem",
       [](const Config& c) { return redis_store(c).tls_files.key; },
       {},
       {},
       {"cert_file", ""}},
      {"redis.server_name", inside_redis(tls), "redis.example",
       [](const Config& c) { return redis_store(c).server_name; }},
      {"redis.cluster", kInRedis, "true",
       [](const Config& c) { return text(redis_store(c).cluster); }},
      {"redis.wait_replicas", kInRedis, "2",
       [](const Config& c) { return text(redis_store(c).wait_replicas); }},
      {"redis.sentinel.addresses", inside_redis("sentinel: {}"), "[s1, 's2:7000']",
       [](const Config& c) {
         std::vector<std::string> all;
         for (const auto& [host, port] : redis_store(c).sentinels) {
           all.push_back(to_text(config::HostPort{host, port}));
         }
         return joined(all);
       },
       "s1:26379,s2:7000"},
      {"redis.sentinel.name", inside_redis(sentinel), "other",
       [](const Config& c) { return redis_store(c).sentinel_name; }},
      {"redis.sentinel.username", inside_redis("sentinel: {addresses: [s1], password: hush}"), "me",
       [](const Config& c) { return redis_store(c).sentinel_login.username; }},
      {"redis.sentinel.password", inside_redis(sentinel), "hush",
       [](const Config& c) { return redis_store(c).sentinel_login.password; }},
      {"redis.sentinel.password_file", inside_redis(sentinel), file_with("hush"),
       [](const Config& c) { return redis_store(c).sentinel_login.password_file; }},
  };
}

inline std::vector<Row> rows_of_service() {
  const auto collector = [](const Config& c) { return collector_options(c); };
  std::vector<Row> rows = {
      {"quotas.topic", kPlain, "q",
       [](const Config& c) { return c.quotas ? quotas_options(c).topic : ""; }},
      {"quotas.redis", kPlain, "true", table_of_quotas},
      {"kafka.brokers", kPlain + "quotas: {topic: q}\n", "['k1:9093']",
       [](const Config& c) { return quotas_options(c).brokers; }, "k1:9093"},
      {"kafka.properties", kPlain + "quotas: {topic: q}\n", "{client.id: me}",
       [](const Config& c) { return pairs(quotas_options(c).properties); }, "client.id=me"},
      {"tracing.url", kPlain, "https://o:4318/v1/traces?x=1",
       [=](const Config& c) {
         const http::TargetOptions to = collector(c);
         return url_of(to.tls, to.host, to.port, to.path);
       }},
      {"tracing.headers", with_top("tracing: {url: 'http://o/v1'}\n"), "{X-Team: blue}",
       [=](const Config& c) { return pairs(collector(c).headers); }, "X-Team=blue"},
      {"tracing.ca_file", with_top("tracing: {url: 'https://o/v1'}\n"), "ca.pem",
       [=](const Config& c) { return collector(c).certificates.ca_file; }},
  };
  for (const auto& part : {rows_of_process(), rows_of_admin(), rows_of_kafka(), rows_of_redis()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace einlass::app::wiring_table
