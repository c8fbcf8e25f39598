#include "adapters/http/aws/credentials_answer.h"

#include <nlohmann/json.hpp>

#include "text/timestamp.h"

namespace einlass::http {
namespace {

using Json = nlohmann::json;

std::string text_at(const Json& document, const char* name) {
  const auto at = document.find(name);
  return at != document.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool says_no(const Json& document) {
  return document.contains("Code") && text_at(document, "Code") != "Success";
}

}  // namespace

AwsAnswer read_credentials(std::string_view body, Instant now) {
  const auto fails = [](std::string why) { return AwsAnswer{{}, std::move(why)}; };
  const Json document = Json::parse(body, nullptr, false);
  if (!document.is_object()) return fails("the answer is not a JSON object");
  if (says_no(document)) return fails("the answer's Code is not Success");
  AwsCredentials found{text_at(document, "AccessKeyId"), text_at(document, "SecretAccessKey"),
                       text_at(document, "Token"), std::nullopt};
  const std::string trouble = trouble_with(found, {"AccessKeyId", "SecretAccessKey", "Token"});
  if (!trouble.empty()) return fails("in the answer " + trouble);
  if (const auto end = document.find("Expiration"); end != document.end() && !end->is_null()) {
    found.expires = parse_timestamp(text_at(document, "Expiration"), NoZone::refused);
    if (!found.expires) return fails("the answer's Expiration is not a time");
    if (*found.expires <= now) return fails("the credentials in the answer have expired");
  }
  return {std::move(found), ""};
}

}  // namespace einlass::http
