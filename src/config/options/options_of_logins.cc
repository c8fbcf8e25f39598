// As whom an HTTP target and Kafka are spoken to, and how requests are signed.
#include <algorithm>

#include "config/model/address.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

std::string trouble_in_header(const std::string& secret) {
  const auto fits = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (secret.empty()) return "is empty";
  if (std::all_of(secret.begin(), secret.end(), fits)) return "";
  return "has a line break or another character that no header may have";
}

std::string trouble_with_key(const std::string& secret) {
  std::string trouble = trouble_in_header(secret);
  const bool known = secret.starts_with("whsec_") || secret.starts_with("whsk_");
  if (!trouble.empty() || known) return trouble;
  return "is no key of Standard Webhooks; write whsec_ and base64 (HMAC), or whsk_ and base64 "
         "(ed25519)";
}

// Who asks for a token says who it is by options of their own.
Parsed<HttpUrl> parse_token_url(const Scalar& scalar) {
  const auto url = split_url(scalar.text);
  if (!url || !url->login) return parse_http_url(scalar.text);
  return Refusal{"has a login in it; write it as client_id and client_secret_file"};
}

Field<HttpAuth> token_url() {
  return custom<HttpAuth>(
      Kind::text, "http:// or https:// URL",
      [](Section& section, HttpAuth& auth) { section.read_url(auth.token_url, parse_token_url); },
      [](PrintedPage& page, const HttpAuth& auth) {
        page.text_hiding(auth.token_url.url, auth.token_url.path);
      });
}

// What hangs on the token server's URL is not the same everywhere, nor who reads the secret's file.
Rows<HttpAuth> client_credentials(std::string_view token_url_text, const Field<HttpAuth>& secret) {
  return {
      {"token_url", token_url().required("https://HOST/PATH"), token_url_text},
      {"client_id", text(&HttpAuth::client_id).required("NAME"), "The client's id."},
      {"client_secret", secret, "The client's secret."},
      {"client_secret_file", secret_file<HttpAuth>(),
       "A file that holds the secret; read again when it changes."},
      {"scope", text(&HttpAuth::scope), "Requested scopes, separated by blanks."},
      {"audience", text(&HttpAuth::audience),
       "The `audience` parameter; some token servers require it."},
  };
}

const Rows<HttpAuth> kOauth2 = all_live(client_credentials(
    "Token endpoint; the target's `ca_file`, `cert_file` and `verify` apply to it too.",
    secret(&HttpAuth::secret, trouble_in_header).required("PATH")));

void check_basic(Section& section, HttpAuth& auth) {
  if (auth.username.find(':') == std::string::npos) return;
  section.wrong("username", "has a colon in it, which basic authentication cannot carry");
}

const Rows<HttpAuth> kBasic = all_live<HttpAuth>({
    {"username", text(&HttpAuth::username).required("NAME"), "The name."},
    {"password", secret(&HttpAuth::secret, trouble_in_header).required("PATH"), "The password."},
    {"password_file", secret_file<HttpAuth>(),
     "A file that holds the password; read again when it changes."},
});

// One of the ways to log in: each is read into the same struct, and printed if it is the one.
Field<HttpAuth> login_by(HttpAuth::Kind kind, Field<HttpAuth> field) {
  field.read = [kind, read = field.read](Section& section, HttpAuth& auth) {
    if (!section.has(section.written_as(section.option()))) return;
    auth.kind = kind;
    read(section, auth);
  };
  field.print = [kind, print = field.print](PrintedPage& page, const HttpAuth& auth) {
    if (auth.kind == kind) print(page, auth);
  };
  return field;
}

Field<HttpAuth> login_by(HttpAuth::Kind kind, const Rows<HttpAuth>& rows,
                         Check<HttpAuth> check = nullptr) {
  return login_by(kind, section_of<HttpAuth>(
                            false, rows, check, [](HttpAuth& auth) -> HttpAuth& { return auth; },
                            [](const HttpAuth& auth) { return &auth; }));
}

}  // namespace

const Rows<HttpAuth> kAuth = all_live<HttpAuth>({
    {"basic", login_by(HttpAuth::Kind::basic, kBasic, check_basic),
     "A name and a password (RFC 7617)."},
    {"bearer", login_by(HttpAuth::Kind::bearer, secret(&HttpAuth::secret, trouble_in_header)),
     "A token (RFC 6750)."},
    {"bearer_file", secret_file<HttpAuth>(),
     "A file that holds the token; read again when it changes."},
    {"oauth2", login_by(HttpAuth::Kind::oauth2, kOauth2),
     "A token requested by client credentials (RFC 6749, 4.4) and renewed."},
});

void check_auth(Section& section, HttpAuth&) {
  std::string first;
  for (const std::string name : {"basic", "bearer", "bearer_file", "oauth2"}) {
    if (!section.has(name)) continue;
    const bool pair = first == "bearer" && name == "bearer_file";  // Told where it is read.
    if (!first.empty() && !pair) {
      section.wrong(name, "stands beside " + first + "; keep one of them");
    }
    if (first.empty()) first = name;
  }
  if (first.empty()) section.require("bearer", "write basic, bearer, bearer_file or oauth2");
}

const Rows<HttpSign> kSign = all_live<HttpSign>({
    {"secret", secret(&HttpSign::secret, trouble_with_key).required("PATH"),
     "`whsec_` and base64 signs by HMAC-SHA256 (`v1`), `whsk_` and base64 by ed25519 (`v1a`)."},
    {"secret_file", secret_file<HttpSign>(),
     "A file that holds the secret; read again when it changes."},
    {"previous_secret", secret(&HttpSign::previous_secret, trouble_with_key),
     "A second signature with the previous secret, while receivers change from one to the other."},
    {"previous_secret_file", secret_file<HttpSign>(),
     "A file that holds that one; read again when it changes."},
});

const Rows<HttpAuth> kKafkaOauth = [] {
  Rows<HttpAuth> rows = client_credentials(
      "Token endpoint.", password(&HttpAuth::secret, trouble_in_header).required("PATH"));
  rows.push_back(
      {"ca_file",
       path(&HttpAuth::ca_file)
           .only_where([](const HttpAuth& auth) { return auth.token_url.tls; }, {"token_url"},
                       "means nothing without TLS; write an https:// URL, or leave it out"),
       "CA certificates (PEM) that the token server's certificate is verified against. "
       "Default: the system's."});
  return rows;
}();

}  // namespace einlass::config
