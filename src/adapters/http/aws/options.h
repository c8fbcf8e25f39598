// Where the credentials come from with which tokens for Amazon MSK are signed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/aws/credentials.h"

namespace einlass::http {

// A server that gives credentials, to whoever can reach it or has what it wants to see.
struct AwsServer {
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";          // With the query.
  std::string authorization;       // What stands in that header; empty: nothing,
  std::string authorization_file;  // or, if this is not empty, what stands in the file by then.

  bool operator==(const AwsServer&) const = default;
};

// The first of these that has them; all come out of the environment.
struct AwsOptions {
  std::optional<AwsCredentials> given;
  std::string file;  // With profiles; empty: none.
  std::string profile = "default";
  bool profile_is_chosen = false;  // Then it must be there, and nobody else is asked.
  std::optional<AwsServer> container;
  std::optional<AwsServer> metadata;  // Of the instance: only host and port.

  bool operator==(const AwsOptions&) const = default;
};

}  // namespace einlass::http
