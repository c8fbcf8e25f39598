#include "app/setup/refused.h"

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <exception>
#include <vector>

#include "adapters/http/client/tls.h"
#include "adapters/http/server/server_certificate.h"
#include "adapters/kafka/check/old_scram.h"
#include "adapters/kafka/check/reach.h"
#include "adapters/kafka/producing/target.h"
#include "app/setup/kafka_logins.h"
#include "app/setup/wiring.h"
#include "config/options/kafka_login.h"

namespace einlass::app {
namespace {

// First whom to trust, then who we are, so that the option at fault is named.
std::string refused_certificates(const std::string& section, const http::TlsOptions& files) {
  std::string option = ".ca_file: ";
  try {
    const http::TlsContext trusting({.ca_file = files.ca_file,
                                     .cert_file = {},
                                     .key_file = {},
                                     .verify = files.verify,
                                     .only_cert_file = {}});
    option = ".cert_file: ";
    const http::TlsContext whole(files);
    return "";
  } catch (const std::exception& error) {
    return section + option + error.what();
  }
}

// Of an HTTP target.
std::string refused_certificates(const config::Config& config, const config::Target& target) {
  const http::TargetOptions options = target_options(config, target, ShardPlace{});
  if (!options.tls && !options.login.token.tls) return "";
  return refused_certificates("targets." + target.name + ".http", options.certificates);
}

}  // namespace

std::string refused_certificate(const config::Admin& admin) {
  if (!admin.tls) return "";
  try {
    const http::ServerCertificate certificate({admin.tls->cert_file, admin.tls->key_file}, nullptr);
    return "";
  } catch (const std::exception& error) {
    return std::string("admin.tls: ") + error.what();
  }
}

std::string refused_files(const config::Config& config) {
  for (const config::Target& target : config.targets) {
    const std::string why =
        target.by_kind(
            [&](const config::HttpTarget&) { return refused_certificates(config, target); },
            [](const config::KafkaTarget&) { return std::string(); });
    if (!why.empty()) return why;
  }
  if (config.tracing && config.tracing->tls) {
    const std::string why = refused_certificates("tracing", collector_options(config).certificates);
    if (!why.empty()) return why;
  }
  return refused_certificate(config.admin);
}

std::string refused_by_kafka(const config::Config& config) {
  try {
    boost::asio::io_context io(1);
    const KafkaLogins logins(io, config, [](const Notice&) {});
    kafka::SourceOptions source = source_options(config, ShardPlace{});
    source.tokens = logins.of_source();
    kafka::check_configuration(source);
    for (std::size_t i = 0; i < config.targets.size(); ++i) {
      if (config.targets[i].kafka() == nullptr) continue;
      kafka::TargetOptions target = kafka_target_options(config, config.targets[i], ShardPlace{});
      target.tokens = logins.of_target(i);
      kafka::check_configuration(target);
    }
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string refused_login(const config::Config& config) {
  std::vector<kafka::TargetOptions> targets;
  for (const config::Target& target : config.targets) {
    // With tokens there is nothing to find out.
    if (target.kafka() != nullptr && !logs_in_with_tokens(*target.kafka()))
      targets.push_back(kafka_target_options(config, target, ShardPlace{}));
  }
  try {
    std::string why;
    if (!logs_in_with_tokens(config.kafka)) {
      why = kafka::refused_scram(source_options(config, ShardPlace{}), kLoginPatience);
    }
    return why.empty() ? kafka::refused_scram(targets, kLoginPatience) : why;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace einlass::app
