// Who may have a server's pages: whoever shows the token.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "adapters/http/server/server.h"
#include "net/secret.h"
#include "units/notice.h"

namespace einlass::http {

// REQUIRES: used by one thread.
class Access {
 public:
  // Without a value everybody may. A file is read again when it has changed; what it holds that
  // cannot be a token changes nothing, and "admin_token_failing" and "admin_token_ok" are said to
  // `notify`.
  Access(net::SecretOptions token, Notify notify);

  bool needs_token() const { return !token_.value().empty(); }

  // This Authorization header (empty: there is none) has the token: as Bearer, or for browsers as
  // the password of Basic, whatever the user's name. How long this takes tells nothing of the
  // token.
  bool may(std::string_view authorization);

 private:
  using Digest = std::array<unsigned char, 32>;
  void look();

  Notify notify_;
  net::Secret token_;
  Digest digest_;
  bool failing_ = false;  // As was told.
};

// What is wrong with a text that is to be a token, in words that do not have it; empty: nothing.
std::string token_trouble(std::string_view text);

// A browser sends it for a page of somebody else's.
bool is_cross_site(const ServerRequest& request);

// The server was asked by a name that can be anybody's: no address, nor a name of this machine or
// its network (without a dot). Whoever has such a name may lead a browser here with it, and read
// what comes (DNS rebinding).
bool asks_by_a_strangers_name(const ServerRequest& request);

}  // namespace einlass::http
