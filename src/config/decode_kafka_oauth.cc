// Access tokens as the login at Kafka.
#include "config/decode.h"

namespace einlass::config {
namespace {

// What says as whom to log in, which a token does already.
bool is_another_login(std::string_view name) {
  return name == "sasl.mechanisms" || name == "sasl.mechanism" || name == "sasl.username" ||
         name == "sasl.password" || name == "enable.sasl.oauthbearer.unsecure.jwt" ||
         name.starts_with("sasl.oauthbearer.");
}

bool sends_no_token(std::string_view property, std::string_view value) {
  return property == "security.protocol" && !value.starts_with("sasl_") &&
         !value.starts_with("SASL_");
}

}  // namespace

bool hinders_oauth(std::string_view property, std::string_view value) {
  return is_another_login(property) || sends_no_token(property, value);
}

bool has_login(const std::map<std::string, std::string>& properties) {
  for (const auto& [name, value] : properties) {
    if (name == "security.protocol" || is_another_login(name)) return true;
  }
  return false;
}

void decode_kafka_oauth(Section& parent, std::string_view table,
                        const std::map<std::string, std::string>& properties,
                        std::optional<KafkaOauth>& out) {
  if (!parent.has("oauth")) return;
  Section section(parent.reading(), parent.find("oauth"), parent.path_of("oauth"), table);
  KafkaOauth oauth;
  decode_oauth2(section, oauth.auth);
  section.read_text("ca_file", oauth.ca_file);
  for (const auto& [name, value] : properties) {
    const std::string path = below(parent.path_of("properties"), name);
    if (is_another_login(name)) {
      parent.reading().wrong(parent.place_of("oauth"), path,
                             "is another login than oauth; leave one of them out");
    } else if (sends_no_token(name, value)) {
      parent.reading().wrong(parent.place_of("oauth"), path,
                             "sends no token; write sasl_ssl, or leave it out");
    }
  }
  out = std::move(oauth);
}

}  // namespace einlass::config
