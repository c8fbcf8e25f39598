#include "app/pages/admin_door.h"

#include <utility>

#include "app/setup/clear_text.h"
#include "app/setup/wiring.h"
#include "config/model/address.h"

namespace einlass::app {
namespace {

http::ServerResponse refused(unsigned status, const std::string& line) {
  http::ServerResponse response;
  response.status = status;
  response.body = line + "\n";
  return response;
}

http::ServerResponse no_token() {
  http::ServerResponse response = refused(
      401,
      "a token is needed here: as Authorization: Bearer TOKEN, or as the password to any user's "
      "name");
  // Two of them: Chromium does not find Basic in a list.
  response.headers = {{"WWW-Authenticate", "Basic realm=\"einlass\""},
                      {"WWW-Authenticate", "Bearer"},
                      {"Cache-Control", "no-store"}};
  return response;
}

// Somebody followed a link to a page, as one on a dashboard. Questions cost time: no link leads to
// one.
bool follows_link(const http::ServerRequest& request) {
  return request.method == "GET" && request.path != "/v1/why" &&
         request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document";
}

bool is_probe(const http::ServerRequest& request) {
  return request.path == "/healthz" || request.path == "/readyz";
}

}  // namespace

AdminDoor::AdminDoor(const config::Admin& admin, Notify notify)
    : is_local_(is_local(admin.listen.host)),
      notify_(std::move(notify)),
      token_(admin.token),
      access_(secret_options(admin.token), notify_) {}

void AdminDoor::set_token(const config::FileSecret& token) {
  // It knows itself what its file holds by now, and what it has said of it.
  if (token.value == token_.value && token.file == token_.file) return;
  token_ = token;
  access_ = http::Access(secret_options(token), notify_);
}

std::optional<http::ServerResponse> AdminDoor::refusal(const http::ServerRequest& request) {
  // Pages that only this machine reaches, and that nobody needs a token for, are still not for
  // every page that a browser on it happens to have open.
  if (is_local_ && !access_.needs_token() && http::asks_by_a_strangers_name(request)) {
    return refused(403,
                   "this gate listens on its own machine only: ask for it by an address or as "
                   "localhost, or have it demand a token (admin.token_file)");
  }
  if (http::is_cross_site(request) && !follows_link(request)) {
    return refused(403, "a page of another site cannot ask for this");
  }
  if (is_probe(request) || access_.may(request.header("authorization"))) return std::nullopt;
  return no_token();
}

std::string open_door(const config::Admin& admin) {
  if (is_local(admin.listen.host)) return "";
  const bool token = !admin.token.value.empty();
  if (token && admin.tls) return "";
  const std::string where = to_text(admin.listen);
  if (token) {
    return "the admin pages and their token go over the network in the clear on " + where +
           "; write admin.tls if others may read along there";
  }
  return "anyone who can reach " + where +
         " can read the admin pages and reload the configuration; write admin.token_file" +
         (admin.tls ? "" : " and admin.tls") + ", or restrict who can reach it";
}

}  // namespace einlass::app
