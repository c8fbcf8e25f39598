// Where the environment says that AWS credentials come from.
#include "app/setup/aws_options.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace einlass::app {
namespace {

using Variables = std::map<std::string, std::string>;

http::AwsOptions options(const Variables& set) {
  return aws_options([&](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string refusal(const Variables& set) {
  try {
    options(set);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

http::AwsServer server(const std::string& host, std::uint16_t port, const std::string& path = "/") {
  return {.host = host, .port = port, .path = path, .authorization = "", .authorization_file = ""};
}

TEST(AwsOptions, without_anything_are_the_file_at_home_and_the_instance) {
  http::AwsOptions expected;
  expected.metadata = server("169.254.169.254", 80);
  EXPECT_EQ(options({}), expected);
  expected.file = "/root/.aws/credentials";
  EXPECT_EQ(options({{"HOME", "/root"}, {"AWS_PROFILE", ""}}), expected);
}

TEST(AwsOptions, of_the_environment_leave_nobody_else_to_be_asked) {
  http::AwsOptions expected;
  expected.given = http::AwsCredentials{"AKIA1", "a+/=", "t", std::nullopt};
  EXPECT_EQ(options({{"AWS_ACCESS_KEY_ID", "AKIA1"},
                     {"AWS_SECRET_ACCESS_KEY", "a+/="},
                     {"AWS_SESSION_TOKEN", "t"},
                     {"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"},
                     {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/x"},
                     {"HOME", "/root"}}),
            expected);
}

TEST(AwsOptions, name_the_file_and_the_profile) {
  const auto named = options({{"HOME", "/home/g"},
                              {"AWS_SHARED_CREDENTIALS_FILE", "~/aws"},
                              {"AWS_PROFILE", "prod"},
                              {"AWS_EC2_METADATA_DISABLED", "TRUE"}});
  EXPECT_EQ(named.file, "/home/g/aws");
  EXPECT_EQ(named.profile, "prod");
  EXPECT_TRUE(named.profile_is_chosen);
  EXPECT_FALSE(named.metadata || named.container || named.given);
}

TEST(AwsOptions, name_the_server_of_the_container) {
  const std::string full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  EXPECT_EQ(options({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/creds?id=1"},
                     {full, "http://elsewhere/"}})
                .container,
            server("169.254.170.2", 80, "/v2/creds?id=1"));
  for (const auto& [host, written] :
       std::map<std::string, std::string>{{"127.0.0.1", "127.0.0.1"},
                                          {"127.9.9.9", "127.9.9.9"},
                                          {"localhost", "localhost"},
                                          {"::1", "[::1]"},
                                          {"169.254.170.2", "169.254.170.2"},
                                          {"169.254.170.23", "169.254.170.23"},
                                          {"fd00:ec2::23", "[fd00:ec2::23]"}}) {
    EXPECT_EQ(options({{full, "http://" + written + ":81/c"}}).container, server(host, 81, "/c"));
  }
  http::AwsServer elsewhere = server("creds.example", 443, "/c");
  elsewhere.tls = true;
  elsewhere.authorization = "Basic x";
  elsewhere.authorization_file = "/token";
  EXPECT_EQ(options({{full, "https://creds.example/c"},
                     {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic x"},
                     {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/token"}})
                .container,
            elsewhere);
}

TEST(AwsOptions, name_the_server_of_the_instance) {
  EXPECT_EQ(
      options({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://[fd00:ec2::254]:8080/"}}).metadata,
      server("fd00:ec2::254", 8080));
}

TEST(AwsOptions, that_contradict_themselves_are_refused_without_what_they_hold) {
  const std::string full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  const std::string relative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
  const std::string in_the_clear =
      "in the environment " + full +
      " names a host to which credentials would go in the clear; only https:// goes, or http:// to "
      "this machine";
  const std::string no_path =
      "in the environment " + relative + " is no path that begins with a slash";
  const std::pair<Variables, std::string> wrong[] = {
      {{{"AWS_ACCESS_KEY_ID", "a"}}, "in the environment AWS_SECRET_ACCESS_KEY is missing"},
      {{{"AWS_SECRET_ACCESS_KEY", "a"}}, "in the environment AWS_ACCESS_KEY_ID is missing"},
      {{{"AWS_ACCESS_KEY_ID", "a"}, {"AWS_SECRET_ACCESS_KEY", "hush hush"}},
       "in the environment AWS_SECRET_ACCESS_KEY has a blank or another character that no AWS "
       "credential has"},
      {{{full, "http://169.254.169.254/"}}, in_the_clear},
      {{{full, "http://169.254.170.3/"}}, in_the_clear},
      {{{full, "http://creds.example/"}}, in_the_clear},
      {{{full, "http://127.0.0.1.evil.example/"}}, in_the_clear},
      {{{full, "http://127.0.0.1@evil.example/"}},
       "in the environment " + full + " is no URL with http:// or https://"},
      {{{full, "ftp://127.0.0.1/"}},
       "in the environment " + full + " is no URL with http:// or https://"},
      {{{relative, ".evil.example/"}}, no_path},
      {{{relative, "@evil.example/"}}, no_path},
      {{{relative, "x"}}, no_path},
      {{{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1/path"}},
       "in the environment AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL as http://HOST:PORT"},
      {{{"AWS_WEB_IDENTITY_TOKEN_FILE", "/t"}, {full, "nothing"}},
       "in the environment AWS_WEB_IDENTITY_TOKEN_FILE is set, but roles by web identity (IRSA) "
       "are not supported; use EKS Pod Identity, or unset it; " +
           full + " is no URL with http:// or https://"},
  };
  for (const auto& [set, why] : wrong) EXPECT_EQ(refusal(set), why);
}

}  // namespace
}  // namespace einlass::app
