#include "app/setup/aws_options.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "app/setup/clear_text.h"
#include "config/model/address.h"
#include "text/ascii.h"

namespace einlass::app {
namespace {

// Where AWS has the servers of containers (ECS, EKS) and of instances; only the machine itself
// reaches them.
constexpr std::string_view kContainers = "169.254.170.2";
constexpr std::string_view kPods = "169.254.170.23", kPodsByIpv6 = "fd00:ec2::23";
constexpr std::string_view kInstances = "169.254.169.254";

// The variables, and what is wrong with them.
class Variables {
 public:
  explicit Variables(const config::Environment& environment) : environment_(environment) {}

  // Empty where it is not set, or to nothing.
  std::string operator[](const std::string& name) const { return environment_(name).value_or(""); }

  void refuse(const std::string& what) {
    wrong_ += (wrong_.empty() ? "in the environment " : "; ") + what;
  }
  void refuse(const std::string& name, const std::string& why) { refuse(name + " " + why); }
  const std::string& wrong() const { return wrong_; }

 private:
  const config::Environment& environment_;
  std::string wrong_;
};

std::optional<http::AwsServer> server_at(const std::string& text) {
  const auto url = config::split_url(text);
  if (!url || url->login || url->fragment) return std::nullopt;
  if (url->scheme != "http" && url->scheme != "https") return std::nullopt;
  http::AwsServer server;
  server.tls = url->scheme == "https";
  const auto address = config::parse_host_port(url->address, server.tls ? 443 : 80);
  if (config::refused(address)) return std::nullopt;
  server.host = std::get<config::HostPort>(address).host;
  server.port = std::get<config::HostPort>(address).port;
  if (!url->path.empty()) server.path = url->path;
  if (url->query) server.path += "?" + std::string(*url->query);
  return server;
}

std::optional<http::AwsCredentials> given_by(Variables& variables) {
  const http::AwsCredentials given{variables["AWS_ACCESS_KEY_ID"],
                                   variables["AWS_SECRET_ACCESS_KEY"],
                                   variables["AWS_SESSION_TOKEN"], std::nullopt};
  if (given.access_key_id.empty() && given.secret_access_key.empty()) return std::nullopt;
  const std::string trouble =
      trouble_with(given, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"});
  if (!trouble.empty()) variables.refuse(trouble);
  return given;
}

void take_file(const Variables& variables, http::AwsOptions& options) {
  const std::string home = variables["HOME"];
  options.file = variables["AWS_SHARED_CREDENTIALS_FILE"];
  if (options.file.empty() && !home.empty()) options.file = "~/.aws/credentials";
  if (options.file.starts_with("~/")) options.file.replace(0, 1, home);
  options.profile_is_chosen = !variables["AWS_PROFILE"].empty();
  if (options.profile_is_chosen) options.profile = variables["AWS_PROFILE"];
}

// Credentials that are asked for in the clear may only come from this machine.
bool is_trusted(const http::AwsServer& server) {
  const std::string_view host = server.host;
  return server.tls || is_local(server.host) || host == kContainers || host == kPods ||
         host == kPodsByIpv6;
}

std::optional<http::AwsServer> container_of(Variables& variables) {
  static constexpr char kRelative[] = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
  static constexpr char kFull[] = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  const std::string relative = variables[kRelative], full = variables[kFull];
  if (relative.empty() && full.empty()) return std::nullopt;
  const std::string name = relative.empty() ? kFull : kRelative;
  auto server =
      server_at(relative.empty() ? full : "http://" + std::string(kContainers) + relative);
  if (!server || (!relative.empty() && server->host != kContainers)) {
    variables.refuse(name, relative.empty() ? "is no URL with http:// or https://"
                                            : "is no path that begins with a slash");
    return std::nullopt;
  }
  if (!is_trusted(*server)) {
    variables.refuse(name,
                     "names a host to which credentials would go in the clear; only https:// "
                     "goes, or http:// to this machine");
  }
  server->authorization = variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"];
  server->authorization_file = variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  return server;
}

std::optional<http::AwsServer> metadata_of(Variables& variables) {
  static constexpr char kEndpoint[] = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
  if (same_name(variables["AWS_EC2_METADATA_DISABLED"], "true")) return std::nullopt;
  const std::string written = variables[kEndpoint];
  auto server = server_at(written.empty() ? "http://" + std::string(kInstances) : written);
  if (!server || server->path != "/") {
    variables.refuse(kEndpoint, "is no URL as http://HOST:PORT");
    return std::nullopt;
  }
  return server;
}

}  // namespace

http::AwsOptions aws_options(const config::Environment& environment) {
  Variables variables(environment);
  http::AwsOptions options;
  options.given = given_by(variables);
  if (!options.given) {
    if (!variables["AWS_WEB_IDENTITY_TOKEN_FILE"].empty()) {
      variables.refuse("AWS_WEB_IDENTITY_TOKEN_FILE",
                       "is set, but roles by web identity (IRSA) are not supported; use EKS Pod "
                       "Identity, or unset it");
    }
    take_file(variables, options);
    options.container = container_of(variables);
    options.metadata = metadata_of(variables);
  }
  if (!variables.wrong().empty()) throw std::runtime_error(variables.wrong());
  return options;
}

}  // namespace einlass::app
