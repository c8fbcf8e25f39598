// What the composition root tells a target: where it is, as whom to deliver, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/event.h"
#include "core/contract/options.h"
#include "net/secret.h"
#include "units/time.h"

namespace einlass::http {

struct TlsOptions {
  std::string ca_file;              // Empty: the system's authorities.
  std::string cert_file, key_file;  // Empty: no certificate of our own.
  bool verify = true;               // False: whoever answers is believed.
  std::string only_cert_file{};     // Not empty: whoever shows the certificate in it is believed,
                                    // whatever its names and dates, and nobody else.

  bool operator==(const TlsOptions&) const = default;
};

// An HTTP proxy, which is asked for a way through to each server.
struct ProxyOptions {
  std::string host;  // Empty: none.
  std::uint16_t port = 0;
  std::string username, password;  // Both empty: no login.

  bool operator==(const ProxyOptions&) const = default;
};

// A server that gives access tokens (RFC 6749, section 4.4).
struct TokenOptions {
  bool tls = false;
  std::string host;
  std::uint16_t port = 443;
  std::string path = "/";  // With the query.
  std::string client_id;
  std::string scope, audience;  // Empty: not asked for.

  bool operator==(const TokenOptions&) const = default;
};

// What stands in the Authorization header.
struct LoginOptions {
  enum class Kind : std::uint8_t { none, basic, bearer, oauth2 } kind = Kind::none;
  std::string username;  // With basic.
  net::SecretOptions
      secret;          // The password, the token, or the client's secret at the token server.
  TokenOptions token;  // With oauth2.
  // A token server that says nothing for so long is asked again, however long a target may take: a
  // token is renewed a minute before its end at most.
  Duration longest_ask = Duration::seconds(15);

  bool operator==(const LoginOptions&) const = default;
};

// The keys of Standard Webhooks signatures: "whsec_" or "whsk_" and base64.
struct SignOptions {
  net::SecretOptions secret;           // Empty: nothing is signed.
  net::SecretOptions previous_secret;  // Empty: only one signature.

  bool operator==(const SignOptions&) const = default;
};

// What statuses from `first` to `last` mean.
struct StatusRule {
  unsigned first = 0, last = 0;
  core::Outcome outcome = core::Outcome::retry;

  bool operator==(const StatusRule&) const = default;
};

// What an answer means where it is not as the standard has it.
struct AnswerOptions {
  // Whatever the status: `equals` stands in the body, as JSON, at `pointer`.
  struct BodyRule {
    std::string pointer, equals;
    core::Outcome outcome = core::Outcome::retry;

    bool operator==(const BodyRule&) const = default;
  };

  std::vector<StatusRule> by_status;  // Of several for one status the last holds.
  std::vector<BodyRule> by_body;      // The first that fits holds, before by_status.

  bool operator==(const AnswerOptions&) const = default;
};

// Whether HTTP/2 is spoken.
enum class Http2 : std::uint8_t {
  automatic,  // Where a server chooses it in TLS.
  always,     // Also in the clear; and a server that does not choose it is a failed attempt.
  never,
};

// Which of several servers takes a request.
enum class Balance : std::uint8_t {
  round_robin,
  by_key,  // Always the same for the same key, while it works.
};

// One more server with the same scheme.
struct BackendOptions {
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";  // With the query.

  bool operator==(const BackendOptions&) const = default;
};

// How many bytes one turn of the loop compresses for a target: 2 ms of them, where they cannot get
// smaller. The rest waits for the next, so that others have their turn between.
inline constexpr std::size_t kCompressedATurn = 64 * 1024;

struct TargetOptions {
  std::string name;  // For notices.
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path = "/";                  // With the query.
  std::vector<BackendOptions> others;      // Besides that one.
  std::vector<std::string> url_secrets{};  // What of all paths and queries nobody is to see.
  Balance balance = Balance::round_robin;
  bool host_of_record = false;  // Each request names its host, instead of `host`.
  bool allow_private = false;   // With that: it may be inside our own network.
  Duration addresses_for = Duration::seconds(30);  // Then it is asked where the hosts are by now.
  std::string method = "POST";
  std::vector<std::pair<std::string, std::string>> headers;  // Sent with every request.
  std::string content_type = "application/octet-stream";     // Where the record names none.
  TlsOptions certificates;
  std::string server_name;  // Empty: the host.
  ProxyOptions proxy;
  LoginOptions login;
  SignOptions sign;
  AnswerOptions answers;
  Duration timeout = Duration::seconds(5);  // From send() to the end of the response.
  bool batches = false;                     // Requests may have several records.
  std::size_t max_in_flight = 64;
  core::BreakerOptions breaker{};  // Of each server, where there are several.
  Http2 http2 = Http2::automatic;
  bool gzip = false;  // Bodies are compressed.

  bool may_speak_http2() const { return http2 == Http2::always || (http2 != Http2::never && tls); }

  bool operator==(const TargetOptions&) const = default;
};

}  // namespace einlass::http
