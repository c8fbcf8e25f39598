// As whom an HTTP target is spoken to.
#include <algorithm>
#include <initializer_list>

#include "config/address.h"
#include "config/decode.h"
#include "config/names.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

using Kind = HttpAuth::Kind;

// A header of that name that somebody writes already; null if nobody does.
bool is_set(const HttpTarget& http, std::string_view name) {
  const auto same = [&](const auto& header) { return same_header(header.first, name); };
  return std::any_of(http.headers.begin(), http.headers.end(), same) ||
         std::any_of(http.header_templates.begin(), http.header_templates.end(), same) ||
         std::any_of(http.forward_headers.begin(), http.forward_headers.end(),
                     [&](const std::string& header) { return same_header(header, name); });
}

void refuse_if_set(Section& parent, std::string_view option, const HttpTarget& http,
                   std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!is_set(http, name)) continue;
    parent.reading().wrong(parent.place_of(option), parent.path_of(option),
                           "writes the header " + std::string(name) +
                               ", which stands under headers or forward_headers; keep one of them");
  }
}

bool require_secret(Section& section, std::string_view name, FileSecret& secret,
                    std::string_view advice) {
  const std::string written = written_as(section, name);
  if (!section.has(written)) return section.require(name, advice);
  if (!read_secret(section, name, secret)) return false;
  const auto fits = [](char c) { return c >= 0x20 && c < 0x7f; };
  std::string trouble;
  if (secret.value.empty()) trouble = "is empty";
  if (!std::all_of(secret.value.begin(), secret.value.end(), fits)) {
    trouble = "has a line break or another character that no header may have";
  }
  if (trouble.empty()) return true;
  section.reading().wrong(section.place_of(written), section.path_of(written), trouble);
  return false;
}

void decode_basic(Section& section, HttpAuth& auth) {
  section.refuse_unknown_keys();
  section.require("username", "write username: NAME");
  section.read_text("username", auth.username);
  if (auth.username.find(':') != std::string::npos) {
    section.reading().wrong(section.place_of("username"), section.path_of("username"),
                            "has a colon in it, which basic authentication cannot carry");
  }
  require_secret(section, "password", auth.secret, "write password_file: PATH");
}

std::string_view kind_written(Section& section) {
  static constexpr std::string_view kNames[] = {"basic", "bearer", "bearer_file", "oauth2"};
  std::string_view first;
  for (const std::string_view name : kNames) {
    if (!section.has(name)) continue;
    const bool pair = first == "bearer" && name == "bearer_file";  // Told where it is read.
    if (!first.empty() && !pair) {
      section.reading().wrong(section.place_of(name), section.path_of(name),
                              "stands beside " + std::string(first) + "; keep one of them");
    }
    if (first.empty()) first = name;
  }
  return first;
}

// Wrong ones are told without what stands in them.
void check_key(Section& section, std::string_view name, const FileSecret& secret) {
  if (secret.value.starts_with("whsec_") || secret.value.starts_with("whsk_")) return;
  const std::string written = written_as(section, name);
  section.reading().wrong(section.place_of(written), section.path_of(written),
                          "is no key of Standard Webhooks; write whsec_ and base64 (HMAC), or "
                          "whsk_ and base64 (ed25519)");
}

}  // namespace

void decode_oauth2(Section& section, HttpAuth& auth) {
  section.refuse_unknown_keys();
  auth.kind = Kind::oauth2;
  const Node* url = section.find("token_url");
  const bool secret = url != nullptr && may_hold_secret(url->text);
  if (section.require("token_url", "write token_url: https://HOST/PATH")) {
    section.read(
        "token_url", auth.token_url, [](const Scalar& s) { return parse_http_url(s.text); },
        secret);
  }
  section.require("client_id", "write client_id: NAME");
  section.read_text("client_id", auth.client_id);
  require_secret(section, "client_secret", auth.secret, "write client_secret_file: PATH");
  section.read_text("scope", auth.scope);
  section.read_text("audience", auth.audience);
}

Parsed<HttpUrl> parse_http_url(const std::string& text) {
  HttpUrl http;
  const auto url = split_url(text);
  if (!url && text.find("://") != text.npos) {
    return Refusal{"has a space or another character that URLs write with a %, as %20"};
  }
  if (!url || (url->scheme != "http" && url->scheme != "https")) {
    return Refusal{"is not a URL; write http://HOST:PORT/PATH or https://..."};
  }
  if (url->login) return Refusal{"has a login in it; write it under auth, as basic"};
  if (url->fragment) return Refusal{"has a # in it, which no server gets to see; leave it out"};
  if (url->address.empty()) return Refusal{"names no host; write http://HOST:PORT/PATH"};
  http.tls = url->scheme == "https";
  const auto address = parse_host_port(url->address, http.tls ? 443 : 80);
  if (refused(address)) return std::get<Refusal>(address);
  http.host = std::get<HostPort>(address).host;
  http.port = std::get<HostPort>(address).port;
  http.path = url->path.empty() ? "/" : std::string(url->path);
  if (url->query) http.path += "?" + std::string(*url->query);
  http.url = without_secrets(text);
  http.secrets = secrets_in(text);
  return http;
}

void decode_http_auth(Section& parent, HttpTarget& http) {
  if (!parent.has("auth")) return;
  HttpAuth& auth = http.auth;
  Section section(parent.reading(), parent.find("auth"), parent.path_of("auth"),
                  "targets.NAME.http.auth");
  section.refuse_unknown_keys();
  const std::string_view kind = kind_written(section);
  if (kind.empty()) {
    section.require("bearer", "write basic, bearer, bearer_file or oauth2");
    return;
  }
  refuse_if_set(parent, "auth", http, {"Authorization"});
  if (kind == "basic") {
    auth.kind = Kind::basic;
    Section basic(parent.reading(), section.find(kind), section.path_of(kind),
                  "targets.NAME.http.auth.basic");
    decode_basic(basic, auth);
  } else if (kind == "oauth2") {
    Section oauth2(parent.reading(), section.find(kind), section.path_of(kind),
                   "targets.NAME.http.auth.oauth2");
    decode_oauth2(oauth2, auth);
  } else {
    auth.kind = Kind::bearer;
    require_secret(section, "bearer", auth.secret, "");
  }
}

void decode_http_sign(Section& parent, HttpTarget& http) {
  if (!parent.has("sign")) return;
  Section section(parent.reading(), parent.find("sign"), parent.path_of("sign"),
                  "targets.NAME.http.sign");
  section.refuse_unknown_keys();
  refuse_if_set(parent, "sign", http, {"webhook-id", "webhook-timestamp", "webhook-signature"});
  if (require_secret(section, "secret", http.sign.secret, "write secret_file: PATH")) {
    check_key(section, "secret", http.sign.secret);
  }
  if (!section.has(written_as(section, "previous_secret"))) return;
  if (require_secret(section, "previous_secret", http.sign.previous_secret, "")) {
    check_key(section, "previous_secret", http.sign.previous_secret);
  }
}

}  // namespace einlass::config
