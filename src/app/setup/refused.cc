#include "app/setup/refused.h"

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/http/client/tls.h"
#include "adapters/http/server/server_certificate.h"
#include "adapters/http/target/webhook_signer.h"
#include "adapters/kafka/check/old_scram.h"
#include "adapters/kafka/check/reach.h"
#include "adapters/kafka/producing/target.h"
#include "app/setup/kafka_logins.h"
#include "app/setup/wiring.h"
#include "config/options/kafka_login.h"
#include "net/tls.h"

namespace einlass::app {
namespace {

// Several that refuse something, each on a line.
class Refusals {
 public:
  // `what` returns why, or throws it; `option` stands before it.
  template <class What>
  bool add(const std::string& option, What what) {
    std::string why;
    try {
      why = what();
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!why.empty()) text_ += (text_.empty() ? "" : "\n") + option + why;
    return why.empty();
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Whom to trust, and who we are, each alone, so that the option at fault is named.
void add_certificates(Refusals& refusals, const std::string& section,
                      const http::TlsOptions& files) {
  const auto read = [](const http::TlsOptions& some) {
    const http::TlsContext context(some);
    return std::string();
  };
  http::TlsOptions trusting = files, showing = files;
  trusting.cert_file = trusting.key_file = trusting.only_cert_file = "";
  showing.ca_file = "";
  refusals.add(section + ".ca_file: ", [&] { return read(trusting); });
  refusals.add(section + ".cert_file: ", [&] { return read(showing); });
}

// Of an HTTP target.
void add_certificates(Refusals& refusals, const config::Config& config,
                      const config::Target& target) {
  const http::TargetOptions options = target_options(config, target, ShardNumber{});
  if (!options.tls && !options.login.token.tls) return;
  add_certificates(refusals, "targets." + target.name + ".http", options.certificates);
}

// Of these the table has seen no more than how they begin.
void add_signing_keys(Refusals& refusals, const config::Target& target) {
  const std::optional<config::HttpSign>& sign = target.http()->sign;
  if (!sign) return;
  const auto add = [&](const std::string& option, const config::FileSecret& key) {
    if (key.value.empty()) return;
    refusals.add("targets." + target.name + ".http.sign." + option + ": ",
                 [&] { return http::signing_key_trouble(key.value); });
  };
  add("secret", sign->secret);
  add("previous_secret", sign->previous_secret);
}

// `check` throws why it does not take the options of the source, of dead letters or of a target.
template <class Check>
std::string refused_by(const config::Config& config, Check check) {
  Refusals refusals;
  refusals.add("", [&] {
    boost::asio::io_context io(1);
    const KafkaLogins logins(io, config, [](const Notice&) {});
    bool good = refusals.add("", [&] {
      kafka::SourceOptions source = source_options(config, ShardNumber{});
      source.login = logins.of_source();
      check(source);
      return "";
    });
    if (good && uses_dead_letters(config)) {
      good = refusals.add("", [&] {
        kafka::DeadLettersOptions letters = dead_letters_options(config);
        letters.login = logins.of_source();
        check(letters);
        return "";
      });
    }
    for (std::size_t i = 0; i < config.targets.size(); ++i) {
      const config::KafkaTarget* const written = config.targets[i].kafka();
      // One in the same cluster has the source's properties, and would say the same again.
      if (written == nullptr || (!good && !written->own_cluster)) continue;
      refusals.add("", [&] {
        kafka::TargetOptions target =
            kafka_target_options(config, config.targets[i], ShardNumber{});
        target.login = logins.of_target(i);
        check(target);
        return "";
      });
    }
    return "";
  });
  return refusals.take();
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
  Refusals refusals;
  for (const config::Target& target : config.targets) {
    if (target.http() == nullptr) continue;
    add_certificates(refusals, config, target);
    add_signing_keys(refusals, target);
  }
  if (config.tracing && config.tracing->tls) {
    add_certificates(refusals, "tracing", collector_options(config).certificates);
  }
  refusals.add("", [&] { return refused_certificate(config.admin); });
  return refusals.take();
}

std::string refused_files_of_redis(const config::Config& config) {
  const config::Redis& redis = config.redis;
  if (!redis.tls) return "";
  Refusals refusals;
  const net::SslContext context = net::new_ssl_context(TLS_client_method());
  refusals.add("redis.ca_file: ", [&] {
    net::trust(context.get(), redis.ca_file);
    return "";
  });
  refusals.add("redis.cert_file: ", [&] {
    if (!redis.cert_file.empty()) {
      net::show_certificate(context.get(), redis.cert_file, redis.key_file);
    }
    return "";
  });
  return refusals.take();
}

std::string refused_by_kafka(const config::Config& config) {
  return refused_by(config, [](const auto& options) { kafka::check_configuration(options); });
}

std::string refused_clients(const config::Config& config) {
  return refused_by(config, [](const auto& options) { kafka::try_client(options); });
}

std::string refused_login(const config::Config& config) {
  std::vector<kafka::TargetOptions> targets;
  for (const config::Target& target : config.targets) {
    // With tokens there is nothing to find out.
    if (target.kafka() != nullptr && !logs_in_with_tokens(*target.kafka()))
      targets.push_back(kafka_target_options(config, target, ShardNumber{}));
  }
  try {
    std::string why;
    if (!logs_in_with_tokens(config.kafka)) {
      why = kafka::refused_scram(source_options(config, ShardNumber{}), kLoginPatience);
    }
    return why.empty() ? kafka::refused_scram(targets, kLoginPatience) : why;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace einlass::app
