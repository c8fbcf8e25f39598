#include "adapters/http/aws/credential_chain.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/http/aws/shared_file.h"
#include "net/secret.h"
#include "text/ascii.h"
#include "units/check.h"
#include "units/secret_file.h"

namespace einlass::http {
namespace {

// What AWS documents of the metadata of instances, version 2.
constexpr std::string_view kTokenPath = "/latest/api/token";
constexpr std::string_view kRolesPath = "/latest/meta-data/iam/security-credentials/";
constexpr RequestHeader kTokenLife{"X-aws-ec2-metadata-token-ttl-seconds", "60"};
constexpr std::string_view kTokenHeader = "X-aws-ec2-metadata-token";

constexpr std::size_t kLongestName = 128, kLongestToken = 1024;

TargetOptions request_options(const AwsServer& server, Duration timeout) {
  TargetOptions request;
  request.tls = server.tls;
  request.host = server.host;
  request.port = server.port;
  request.path = server.path;
  request.timeout = timeout;
  request.headers = {{"Accept", "*/*"}};
  return request;
}

// As IAM lets one be called. It becomes part of a path.
bool is_role(std::string_view name) {
  const auto fits = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("+=,.@_-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

bool is_there(const std::string& path) {
  struct stat found {};
  return !path.empty() && ::stat(path.c_str(), &found) == 0;
}

}  // namespace

CredentialChain::CredentialChain(boost::asio::io_context& io, AwsOptions options, Done done)
    : options_{std::move(options)}, done_{std::move(done)}, file_{options_.file} {
  const auto& server = options_.container ? options_.container : options_.metadata;
  if (!server) return;
  server_ = std::make_unique<SingleExchange>(io, request_options(*server, kTimeout), kMostBody);
}

void CredentialChain::ask(Instant now) {
  CHECK(!is_asking());
  now_ = now;
  if (options_.given) return done_({*options_.given, ""});
  if (ask_file()) return;
  if (options_.container) return ask_container();
  if (options_.metadata) return ask_metadata();
  fail(nowhere_before() + ", and nobody else to ask");
}

std::string CredentialChain::nowhere_before() const {
  return "none in the environment" + (options_.file.empty() ? "" : " nor in " + options_.file);
}

// False where nothing in it is meant. One that had credentials is meant while it is gone or empty,
// too: whoever writes it anew may not be done.
bool CredentialChain::ask_file() {
  const std::string where = options_.file + ", profile '" + options_.profile + "'";
  std::optional<AwsCredentials> found;
  std::string trouble;
  if (is_there(options_.file)) {
    const SecretText text = read_secret_text(options_.file);
    trouble = text.trouble;
    found = profile_in(text.value, options_.profile);
  }
  const bool is_meant = options_.profile_is_chosen || file_had_them_ || !trouble.empty() ||
                        found.value_or(AwsCredentials{}) != AwsCredentials{};
  if (!is_meant) return false;
  if (trouble.empty() && !found) trouble = "there is none";
  if (trouble.empty()) {
    trouble =
        trouble_with(*found, {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"});
  }
  if (!trouble.empty()) return fail(where + ": " + trouble), true;
  file_had_them_ = true;
  done_({*found, ""});
  return true;
}

void CredentialChain::ask_container() {
  asked_ = server_->peer();
  const AwsServer& server = *options_.container;
  SecretText shown{server.authorization, ""};
  if (!server.authorization_file.empty()) shown = read_secret_text(server.authorization_file);
  if (shown.trouble.empty() && !shown.value.empty()) {
    shown.trouble = net::header_trouble(shown.value);
  }
  if (!shown.trouble.empty()) {
    return fail("the authorization token for " + asked_ + ": " + shown.trouble);
  }
  send("GET", server.path, {"Authorization", shown.value},
       [this](std::string_view body) { take(body); });
}

void CredentialChain::ask_metadata() {
  asked_ = nowhere_before() + ", and the metadata of the instance at " + server_->peer();
  send("PUT", kTokenPath, kTokenLife, [this](std::string_view body) {
    if (body.empty() || body.size() > kLongestToken || !is_visible(body)) {
      return fail(asked_ + ": what it gave to ask on with is no token");
    }
    metadata_token_ = body;
    ask_for_role();
  });
}

void CredentialChain::ask_for_role() {
  send("GET", kRolesPath, {kTokenHeader, metadata_token_}, [this](std::string_view body) {
    const std::string_view role = body.substr(0, body.find_first_of("\r\n"));
    if (!is_role(role)) return fail(asked_ + ": it names no role of the instance");
    ask_for_credentials(role);
  });
}

void CredentialChain::ask_for_credentials(std::string_view role) {
  send("GET", std::string(kRolesPath).append(role), {kTokenHeader, metadata_token_},
       [this](std::string_view body) { take(body); });
}

void CredentialChain::send(std::string_view method, std::string_view path,
                           const RequestHeader& header,
                           std::function<void(std::string_view body)> then) {
  Request request{};
  request.method = method;
  request.path = path;
  request.headers = {&header, header.value.empty() ? 0u : 1u};
  server_->begin(request, [this, then = std::move(then)](const Answer& answer) {
    if (answer.status == 200) return then(answer.body);
    const std::string status = "status " + std::to_string(answer.status);
    fail(asked_ + ": " + (answer.status == 0 ? answer.trouble : status));
  });
}

void CredentialChain::take(std::string_view body) {
  AwsAnswer answer = read_credentials(body, now_);
  if (!answer.trouble.empty()) answer.trouble = asked_ + ": " + answer.trouble;
  done_(answer);
}

}  // namespace einlass::http
