#include "adapters/http/login/token_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "text/ascii.h"

namespace einlass::http {
namespace {

using Json = nlohmann::json;

constexpr double kLongestLife = 366.0 * 24 * 3600;

std::string text_at(const Json& document, const char* name) {
  const auto at = document.find(name);
  if (at == document.end() || !at->is_string()) return {};
  return at->get<std::string>();
}

// Of RFC 6749, sections 4.1.2.1 and 5.2, and RFC 8707. Any other word could be a secret that was
// sent.
bool is_code(std::string_view text) {
  static constexpr std::string_view kCodes[] = {
      "access_denied",       "invalid_client",        "invalid_grant", "invalid_request",
      "invalid_scope",       "invalid_target",        "server_error",  "temporarily_unavailable",
      "unauthorized_client", "unsupported_grant_type"};
  return std::find(std::begin(kCodes), std::end(kCodes), text) != std::end(kCodes);
}

// The code that the standard names, as invalid_client; what stands beside it in free words may
// repeat what was sent.
std::string refusal(unsigned status, const Json& document) {
  std::string text = "status " + std::to_string(status);
  const std::string code = document.is_object() ? text_at(document, "error") : std::string();
  if (is_code(code)) text += ", " + code;
  return text;
}

// Some servers write the number as a text.
std::optional<double> seconds_at(const Json& document, const char* name) {
  const auto at = document.find(name);
  if (at == document.end() || at->is_null()) return std::nullopt;
  if (at->is_number()) return at->get<double>();
  if (!at->is_string()) return std::nan("");
  const Json number = Json::parse(at->get_ref<const std::string&>(), nullptr, false);
  return number.is_number() ? number.get<double>() : std::nan("");
}

}  // namespace

TokenAnswer read_token_answer(unsigned status, std::string_view body) {
  const Json document = Json::parse(body, nullptr, false);
  TokenAnswer answer;
  const auto fails = [&answer](std::string why) {
    answer.trouble = std::move(why);
    return answer;
  };
  if (status != 200) return fails(refusal(status, document));
  if (!document.is_object()) return fails("the answer is not a JSON object");
  std::string token = text_at(document, "access_token");
  if (token.empty()) return fails("the answer has no access_token");
  if (token.size() > kLongestToken) return fails("the token is longer than 12KiB");
  if (!is_visible(token)) return fails("the token has characters that no header may have");
  const std::string type = text_at(document, "token_type");
  if (!type.empty() && !same_name(type, "bearer")) {
    return fails("the token's type is not Bearer");
  }
  if (const auto seconds = seconds_at(document, "expires_in")) {
    if (!(*seconds >= 1)) return fails("the token's expires_in is not a time ahead");
    const double life = std::min(*seconds, kLongestLife);
    answer.life = Duration{static_cast<std::int64_t>(life * 1e6)};
  }
  answer.token = std::move(token);
  return answer;
}

}  // namespace einlass::http
