// Hosts, ports and URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/values.h"

namespace einlass::config {

struct HostPort {
  std::string host;  // An IPv6 address without its brackets.
  std::uint16_t port = 0;
  bool operator==(const HostPort&) const = default;
};

// HOST:PORT, or HOST alone where there is a default port.
Parsed<HostPort> parse_host_port(std::string_view text, std::optional<std::uint16_t> default_port);

// The way back, with brackets around an IPv6 address.
std::string to_text(const HostPort& address);

// A URL in its parts, each still percent-encoded.
struct Url {
  std::string_view scheme;
  std::optional<std::string_view> login;  // What stands before the @.
  std::string_view address;               // HOST or HOST:PORT.
  std::string_view path;                  // With its slash; may be empty.
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// None if the text has no "://" or has spaces, control characters or bytes beyond ASCII.
std::optional<Url> split_url(std::string_view text);

// None where a % is not followed by two hex digits, or where a control character comes out.
std::optional<std::string> percent_decoded(std::string_view text);

// With any byte, as a record's key may have them.
std::optional<std::string> any_percent_decoded(std::string_view text);

// USER:PASSWORD of a URL, each percent-encoded; either may be empty. None if one cannot be decoded.
struct Login {
  std::string username, password;
};
std::optional<Login> split_login(std::string_view login);

// The way back for a path: all but letters, digits, slashes and -._~ as %XX.
std::string percent_encoded(std::string_view path);

// Whether a message may not show the URL: it has a login, a query, or a secret in its path.
bool may_hold_secret(std::string_view url);

// What of a URL nobody is to see where a server repeats it: of the query each value of 8 characters
// or more, with a name or without, and those whose names say that they are secret; of the path each
// segment of 8 characters or more. Without their %XX, and without placeholders as {key}.
std::vector<std::string> secrets_in(std::string_view url);

// All segments of a path, and names and values of its query, likewise.
std::vector<std::string> all_in(std::string_view path);

// The URL with "***" for its path and query.
std::string without_path(std::string_view url);

// The URL as it is shown to who wrote it: with "***" for what secrets_in() names, but for segments
// of the path without a digit, which are words; and for values with such names that the record
// says.
std::string without_secrets(std::string_view url);

}  // namespace einlass::config
