#include "config/model/names.h"

#include <algorithm>

#include "text/ascii.h"
#include "units/kafka_name.h"

namespace einlass::config {

Parsed<std::string> parse_text(const Scalar& scalar) {
  if (scalar.plain && is_ambiguous(scalar.text)) {
    return Refusal{"without quotes is a truth to some YAML readers; put quotes around the text"};
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(scalar.text.begin(), scalar.text.end(), control)) {
    return Refusal{"has a line break, a tab or another control character"};
  }
  return scalar.text;
}

Parsed<std::string> parse_anything(const Scalar& scalar) { return scalar.text; }

Parsed<std::string> parse_kafka_name(const Scalar& scalar) {
  if (!is_kafka_name(scalar.text)) {
    return Refusal{"is not a name; write 1 to 249 of the characters a-z A-Z 0-9 . _ -"};
  }
  return parse_text(scalar);
}

Parsed<std::size_t> parse_reference(const Scalar& scalar, std::string_view what,
                                    const std::vector<std::string_view>& known) {
  const auto found = std::find(known.begin(), known.end(), scalar.text);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string what_it_is(what);
  return Refusal{"is no " + what_it_is + " of this file; " +
                 what_there_is(scalar.text, known).value_or("write it under " + what_it_is + "s")};
}

bool is_reserved_header(std::string_view name) {
  static constexpr std::string_view kNames[] = {"host",
                                                "content-length",
                                                "transfer-encoding",
                                                "connection",
                                                "keep-alive",
                                                "te",
                                                "trailer",
                                                "upgrade",
                                                "expect",
                                                "proxy-connection",
                                                "idempotency-key"};
  const std::string header = lower(name);
  return std::find(std::begin(kNames), std::end(kNames), header) != std::end(kNames) ||
         header.starts_with("einlass-") || header.starts_with("kafka-");
}

bool is_json_pointer(std::string_view text) {
  if (!text.starts_with('/')) return false;
  for (std::size_t at = 0; (at = text.find('~', at)) != text.npos; ++at) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

Parsed<std::string> parse_json_pointer(const Scalar& scalar) {
  if (!is_json_pointer(scalar.text)) return Refusal{"is not a JSON pointer; write /error/code"};
  return parse_text(scalar);
}

bool is_secret_name(std::string_view name) {
  static constexpr std::string_view kParts[] = {
      "password",           "passphrase", "secret",  "token",   "authorization",
      "credential",         "cookie",     "api-key", "api_key", "apikey",
      "oauthbearer.config", "sasl.jaas",  "key.pem"};
  const std::string known = lower(name);
  if (known == "sasl.oauthbearer.token.endpoint.url") return false;
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return known.find(part) != known.npos; });
}

bool may_be_secret(std::string_view name) {
  static constexpr std::string_view kWords[] = {"auth", "key",   "pass",    "passwd", "signature",
                                                "sig",  "login", "session", "jwt"};
  const std::string known = lower(name);
  if (known == "idempotency-key") return false;
  std::string_view rest = known;
  for (bool more = true; more;) {
    const std::size_t end = rest.find_first_of("-_");
    const std::string_view word = rest.substr(0, end);
    if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
    more = end != rest.npos;
    if (more) rest.remove_prefix(end + 1);
  }
  return is_secret_name(name);
}

}  // namespace einlass::config
