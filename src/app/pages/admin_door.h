// Who gets an answer from the admin server, and who gets a refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/server/access.h"
#include "adapters/http/server/server.h"
#include "config/model/config.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: used on the main thread.
class AdminDoor {
 public:
  AdminDoor(const config::Admin& admin, Notify notify);

  // From here on it is this one that is demanded.
  void set_token(const config::FileSecret& token);

  // Why the request is not answered otherwise; none: it may be. /healthz and /readyz are for
  // everybody, because probes cannot keep a secret; they show no more than a word to whoever does
  // not have the token.
  std::optional<http::ServerResponse> refusal(const http::ServerRequest& request);

  // Whoever is let in has shown a token.
  bool demands_token() const { return access_.needs_token(); }

  // All that there is to know may be shown to whoever asks, or has asked, with this Authorization
  // header.
  bool may_know_all(std::string_view authorization) { return access_.may(authorization); }

 private:
  const bool is_local_;
  const Notify notify_;
  config::FileSecret token_;
  http::Access access_;
};

// What is to be said at the start of pages that others than this machine may reach: what keeps
// them out, or keeps them from reading along, is not there. Empty: nothing.
std::string open_door(const config::Admin& admin);

}  // namespace einlass::app
