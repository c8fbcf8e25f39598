// Source: the Signature Version 4 of AWS' API reference ("Authenticating Requests: Using Query
// Parameters"), and AWS' signers aws-msk-iam-sasl-signer-*, which name the host alike in all
// partitions, those whose servers are elsewhere too.
#include "adapters/http/aws/msk_token.h"

#include <ctime>
#include <initializer_list>

#include "net/digest.h"
#include "net/encoding.h"
#include "text/ascii.h"

namespace einlass::http {
namespace {

constexpr std::string_view kService = "kafka-cluster";
constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kExpires = "900";
static_assert(kMskTokenLife == Duration::seconds(900));

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

std::string encoded(std::string_view text) {
  std::string to;
  append_percent_encoded(to, text);
  return to;
}

// "20261125T043000Z".
std::string date_and_time(Instant now) {
  const std::time_t seconds = now.us / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[sizeof "20261125T043000Z"];
  return std::string(text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts));
}

// As the signature counts them: sorted by their names.
std::string query_of(const AwsCredentials& credentials, std::string_view scope,
                     std::string_view time) {
  const std::string session = encoded(credentials.session_token);
  return joined({"Action=kafka-cluster%3AConnect", "&X-Amz-Algorithm=", kAlgorithm,
                 "&X-Amz-Credential=", encoded(joined({credentials.access_key_id, "/", scope})),
                 "&X-Amz-Date=", time, "&X-Amz-Expires=", kExpires,
                 session.empty() ? "" : "&X-Amz-Security-Token=", session,
                 "&X-Amz-SignedHeaders=host"});
}

std::string signing_key(const AwsCredentials& credentials, std::string_view date,
                        std::string_view region) {
  std::string key = joined({"AWS4", credentials.secret_access_key});
  for (const std::string_view part : {date, region, kService, std::string_view("aws4_request")}) {
    key = net::hmac_sha256(key, part);
  }
  return key;
}

}  // namespace

std::string msk_token(const AwsCredentials& credentials, std::string_view region, Instant now) {
  const std::string time = date_and_time(now);
  const std::string date = time.substr(0, 8);
  const std::string scope = joined({date, "/", region, "/", kService, "/aws4_request"});
  const std::string host = joined({"kafka.", region, ".amazonaws.com"});
  const std::string query = query_of(credentials, scope, time);
  const std::string request =
      joined({"GET\n/\n", query, "\nhost:", host, "\n\nhost\n", net::sha256_hex("")});
  const std::string to_sign =
      joined({kAlgorithm, "\n", time, "\n", scope, "\n", net::sha256_hex(request)});
  std::string url = joined({"https://", host, "/?", query, "&X-Amz-Signature="});
  append_hex(url, net::hmac_sha256(signing_key(credentials, date, region), to_sign));
  return net::base64url(url.append("&User-Agent=einlass"));
}

}  // namespace einlass::http
