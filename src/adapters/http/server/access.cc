#include "adapters/http/server/access.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "net/digest.h"
#include "net/encoding.h"
#include "net/host.h"
#include "text/ascii.h"

namespace einlass::http {
namespace {

constexpr std::size_t kLongestToken = 4096;  // With Basic it still fits into a request's head.

// What the header shows as token; none if it shows none.
std::optional<std::string> shown_in(std::string_view header) {
  const std::size_t blank = std::min(header.find(' '), header.size());
  const std::string_view scheme = header.substr(0, blank);
  header.remove_prefix(blank);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  if (same_name(scheme, "bearer")) return std::string(header);
  if (!same_name(scheme, "basic")) return std::nullopt;
  const auto login = net::base64_decoded(header);
  const std::size_t colon = login ? login->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  return login->substr(colon + 1);
}

// Without its port, and an IPv6 address without its brackets.
std::string name_in(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

}  // namespace

Access::Access(net::SecretOptions token, Notify notify)
    : notify_{std::move(notify)},
      token_{std::move(token), token_trouble},
      digest_{net::sha256(token_.value())} {}

bool Access::may(std::string_view authorization) {
  look();
  if (!needs_token()) return true;
  const auto shown = shown_in(authorization);
  if (!shown) return false;
  // Of two digests the first byte that differs says nothing about the texts.
  const Digest digest = net::sha256(*shown);
  return CRYPTO_memcmp(digest.data(), digest_.data(), digest.size()) == 0;
}

void Access::look() {
  if (token_.look()) digest_ = net::sha256(token_.value());
  const bool fails = !token_.trouble().empty();
  if (fails == failing_) return;
  failing_ = fails;
  if (!notify_) return;
  notify_(fails ? Notice{Severity::warning, "admin_token_failing", token_.trouble()}
                : Notice{Severity::info, "admin_token_ok", "the token can be read again"});
}

std::string token_trouble(std::string_view text) {
  if (text.empty()) return "it is empty";
  if (text.size() > kLongestToken) return "it is longer than 4096 characters";
  return is_visible(text)
             ? ""
             : "it has a blank, a line break or another character that no token may have";
}

bool is_cross_site(const ServerRequest& request) {
  const std::string_view site = request.header("sec-fetch-site");
  if (!site.empty()) return site != "same-origin" && site != "none";
  const std::string_view origin = request.header("origin");
  if (origin.empty()) return false;  // No browser, or one that asks for its own page.
  const std::size_t scheme = origin.find("://");
  return scheme == origin.npos || origin.substr(scheme + 3) != request.header("host");
}

bool asks_by_a_strangers_name(const ServerRequest& request) {
  const std::string_view host = request.header("host");
  if (host.empty()) return false;  // No browser.
  const std::string name = name_in(host);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || net::is_address(name)) return false;
  return !same_name(std::string_view(name).substr(dot + 1), "localhost");
}

}  // namespace einlass::http
