#include "config/options/kafka_login.h"

#include <algorithm>
#include <string_view>

#include "text/ascii.h"

namespace einlass::config {
namespace {

using Properties = std::map<std::string, std::string>;

// What says as whom to log in, which a token does already.
bool is_another_login(std::string_view name) {
  return name == "sasl.mechanisms" || name == "sasl.mechanism" || name == "sasl.username" ||
         name == kSaslPassword || name == "enable.sasl.oauthbearer.unsecure.jwt" ||
         name.starts_with("sasl.oauthbearer.");
}

bool sends_no_token(std::string_view property, std::string_view value) {
  return property == "security.protocol" && !value.starts_with("sasl_") &&
         !value.starts_with("SASL_");
}

// Or sends it to whoever reads along.
bool sends_no_token_by_tls(std::string_view property, std::string_view value) {
  return property == "security.protocol" && value != "sasl_ssl" && value != "SASL_SSL";
}

void refuse_property(Section& section, std::string_view property, const std::string& why) {
  section.reading().wrong(section.position_of("properties", property),
                          below(section.path_of("properties"), property), why);
}

void refuse_beside_oauth(Section& section, const Properties& properties) {
  for (const auto& [name, value] : properties) {
    if (is_another_login(name)) {
      refuse_property(section, name, "is another login than oauth; leave one of them out");
    } else if (sends_no_token(name, value)) {
      refuse_property(section, name, "sends no token; write sasl_ssl, or leave it out");
    }
  }
}

void refuse_beside_iam(Section& section, const Properties& properties) {
  if (section.has("oauth")) {
    section.wrong("oauth", "stands beside security: aws_msk_iam; keep one of them");
  }
  for (const auto& [name, value] : properties) {
    if (is_another_login(name)) {
      refuse_property(section, name, "is set by security: aws_msk_iam; leave it out");
    } else if (sends_no_token_by_tls(name, value)) {
      refuse_property(section, name, "is sasl_ssl with security: aws_msk_iam; leave it out");
    }
  }
}

// Where AWS' own clients look too.
void take_region_of_environment(Section& section, std::string& region) {
  for (const std::string name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    Scalar found;
    found.text = section.reading().environment()(name).value_or("");
    if (found.text.empty()) continue;
    const auto parsed = parse_aws_region(found);
    if (refused(parsed)) {
      return section.wrong("aws_region",
                           name + " of the environment " + std::get<Refusal>(parsed).text);
    }
    region = found.text;
    return;
  }
  section.wrong("aws_region", "missing; write aws_region: eu-west-1, or set AWS_REGION");
}

}  // namespace

Parsed<std::string> parse_aws_region(const Scalar& scalar) {
  constexpr std::size_t kLongest = 32;
  const std::string& text = scalar.text;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; };
  if (!text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), fits)) {
    return text;
  }
  return Refusal{"is not the name of an AWS region; write one as eu-west-1"};
}

void check_kafka_login(Section& section, KafkaSecurity security, std::string& aws_region,
                       const Properties& properties) {
  if (security == KafkaSecurity::aws_msk_iam) {
    refuse_beside_iam(section, properties);
    if (aws_region.empty() && !section.has("aws_region")) {
      take_region_of_environment(section, aws_region);
    }
  } else if (section.has("oauth")) {
    refuse_beside_oauth(section, properties);
  }
}

void log_in_as_source(const Kafka& kafka, KafkaTarget& target) {
  target.brokers = kafka.brokers;
  const bool has_tokens = logs_in_with_tokens(target);
  const bool needs_tls = target.security == KafkaSecurity::aws_msk_iam;
  const bool logs_in =
      target.own_login ||
      std::any_of(target.properties.begin(), target.properties.end(), [](const auto& property) {
        return property.first == "security.protocol" || is_another_login(property.first);
      });
  if (!logs_in) {
    target.security = kafka.security;
    target.aws_region = kafka.aws_region;
    target.oauth = kafka.oauth;
  }
  for (const auto& [name, value] : kafka.properties) {
    const auto is_this = [&name = name](const auto& said) { return said.first == name; };
    if (std::ranges::any_of(kSaidByOptions, is_this)) continue;
    const bool is_of_its_login = is_another_login(name) || sends_no_token(name, value) ||
                                 (needs_tls && sends_no_token_by_tls(name, value));
    if (has_tokens && is_of_its_login) continue;
    const bool is_new = target.properties.emplace(name, value).second;
    if (is_new && name == kSaslPassword) target.password_file = kafka.password_file;
  }
}

}  // namespace einlass::config
