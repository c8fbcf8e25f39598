// targets.NAME.http
#include <algorithm>
#include <utility>

#include "config/tables/tables.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

Parsed<std::string> parse_method(const Scalar& scalar) {
  const std::string& text = scalar.text;
  const bool lower =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_token(text) || lower) {
    return Refusal{"is not an HTTP method; write POST, PUT or PATCH"};
  }
  if (text == "HEAD" || text == "CONNECT" || text == "TRACE") {
    return Refusal{"delivers nothing; write POST, PUT or PATCH"};
  }
  return text;
}

Parsed<std::string> parse_content_type(const Scalar& scalar) {
  const std::string_view type = std::string_view(scalar.text).substr(0, scalar.text.find(';'));
  const std::size_t slash = type.find('/');
  const bool sound =
      slash != type.npos && is_token(type.substr(0, slash)) && is_token(type.substr(slash + 1));
  if (!sound) return Refusal{"is not a media type; write application/json or text/plain"};
  return parse_text(scalar);
}

// One that the record names is looked at when it is there.
void read_method(Section& section, HttpTarget& http) {
  Template parts;
  if (!section.read(parts, [](const Scalar& s) { return parse_template(s.text); })) return;
  if (takes_from_record(parts)) {
    http.method_template = std::move(parts);
  } else {
    section.read(http.method, parse_method);
  }
}

void print_method(PrintedPage& page, const HttpTarget& http) {
  page.text(http.method_template.empty() ? http.method : to_text(http.method_template));
}

const Rows<HttpBatch> kBatch = {
    {"records", number(&HttpBatch::records, 2, 1000),
     "Most records in one request, 2 to 1000; each needs its own permit."},
    {"bytes", size(&HttpBatch::bytes, {1}, {64 << 20}),
     "Most bytes in one request; a single record may be larger."},
    {"linger", duration(&HttpBatch::linger, {}, seconds(1)),
     "How long the first record of a request waits for others; at most half of the limits' "
     "`use_within`."},
    {"format", choice(&HttpBatch::format, {"json", "lines", "length_prefixed"}),
     "Format of the body: a JSON array, one value a line, or each value after its length in four "
     "bytes (big-endian)."},
};

const Rows<BodyMeans> kBodyRule = all_live<BodyMeans>({
    {"json",
     text(&BodyMeans::pointer, parse_json_pointer).called("JSON pointer").required("/error/code"),
     "Place in the body, for example `/error/code`."},
    {"equals", text(&BodyMeans::equals, parse_anything).required("write what must stand there"),
     "The expected value: a string, number or boolean."},
    {"then",
     choice(&BodyMeans::means, {"accept", "retry", "refuse"})
         .required("write accept, retry or refuse"),
     "What the response means."},
});

void check_tls(Section& section, const HttpTarget& http) {
  const bool known = !http.url.empty() && section.sound({"url", "urls"});
  const bool token_tls = http.auth && http.auth->token_url.tls;
  for (const std::string_view name : {"ca_file", "server_name", "cert_file", "verify"}) {
    if (!section.has(name) || !known || http.tls) continue;
    if (token_tls && name != "server_name") continue;
    if (name == "verify" && http.verify) continue;
    section.wrong(name, "means nothing without TLS; write an https:// URL, or leave it out");
  }
  for (const auto& [name, other] :
       {std::pair("cert_file", "key_file"), std::pair("key_file", "cert_file")}) {
    if (!section.has(name) || section.has(other)) continue;
    section.wrong(name, std::string("is one half; write ") + other + " too");
  }
  if (http.verify) return;
  for (const std::string_view name : {"ca_file", "server_name"}) {
    if (!section.has(name)) continue;
    section.wrong(name, "means nothing where nothing is verified; leave out verify: false");
  }
}

// Headers that the gate writes itself because of an option.
void check_headers(Section& section, const HttpTarget& http) {
  if (http.gzip && writes_header(http, "Content-Encoding")) {
    section.wrong("compress",
                  "writes Content-Encoding, which headers or forward_headers do already; keep one "
                  "of them");
  }
  for (const auto& [option, header] :
       {std::pair("auth", "Authorization"), std::pair("sign", "webhook-id"),
        std::pair("sign", "webhook-timestamp"), std::pair("sign", "webhook-signature")}) {
    if (!section.has(option) || !writes_header(http, header)) continue;
    section.wrong(option, std::string("writes the header ") + header +
                              ", which stands under headers or forward_headers; keep one of them");
  }
}

// A request with several records has no part that is one record's.
void check_batch(Section& section, HttpTarget& http) {
  constexpr const char* kWhy =
      "has parts of a record, and with batch a request has several; write it without {...}, or "
      "leave out batch";
  if (!http.host_template.empty() || !http.path_template.empty())
    section.wrong(section.written_as("url"), kWhy);
  if (!http.method_template.empty()) section.wrong("method", kWhy);
  if (!http.header_templates.empty()) section.wrong("headers", kWhy);
  if (http.balance == Balance::by_key && section.has("balance")) {
    section.wrong("balance", "means nothing with batch: a request has no single key");
  }
  constexpr const char* kTypes[] = {"application/json", "application/x-ndjson",
                                    "application/octet-stream"};
  if (section.has("content_type")) return;
  http.content_type = kTypes[static_cast<std::size_t>(http.batch->format)];
}

// Where options mean something; all do where the URL is not known.
bool has_several(const HttpTarget& http) { return !http.urls.empty(); }
bool has_host_of_record(const HttpTarget& http) {
  return http.url.empty() || !http.host_template.empty();
}
bool has_path_of_record(const HttpTarget& http) {
  return http.url.empty() || !http.path_template.empty();
}
bool has_no_batch(const HttpTarget& http) { return !http.batch; }

constexpr std::string_view kHostWritten =
    "means nothing where the URL's host is written out; leave it out";

}  // namespace

const Rows<HttpTarget> kHttp = {
    {"url", target_url().live(),
     "Where each record is sent. {topic}, {partition}, {offset}, {key}, {header:NAME} and "
     "{json:/pointer} are replaced by the record's, percent-encoded; {{ and }} are braces."},
    {"url_file", secret_file<HttpTarget>().live(),
     "A file that holds that URL, whose path and query are secret then."},
    {"urls", target_urls().live(), "Instead of `url`: several servers, each with its own health."},
    {"balance",
     choice(&HttpTarget::balance, {"round_robin", "key"})
         .only_where(has_several, {"urls"},
                     "means nothing for a single url; write urls, or leave it out")
         .live(),
     "Which of `urls` gets a record: each in turn, or the same one for the same key while it is "
     "healthy."},
    {"allow_hosts",
     list("list of names", &HttpTarget::allow_hosts, 1'000, take_host_pattern)
         .only_where(has_host_of_record, {"url", "urls"}, kHostWritten)
         .defaults_to("see text")
         .live(),
     "Required if the URL's host comes from the record: the hosts that may be called, as "
     "`billing.example`, `*.billing.example` (all names below it) or `*`."},
    {"allow_private",
     truth(&HttpTarget::allow_private)
         .only_where(has_host_of_record, {"url", "urls"}, kHostWritten)
         .live(),
     "Whether such a host may resolve to your own network: loopback, link-local, private ranges."},
    {"allow_slash",
     truth(&HttpTarget::allow_slash)
         .only_where(has_path_of_record, {"url", "urls"},
                     "means nothing where the URL's path is written out; leave it out")
         .live(),
     "Whether a part of the URL's path that comes from the record may contain `/` (sent as %2F); "
     "if not, such a record is refused."},
    {"method", custom<HttpTarget>(Kind::text, "HTTP method", read_method, print_method).live(),
     "The request's method; may be {header:NAME} or another placeholder."},
    {"timeout", duration(&HttpTarget::timeout, millis(1), hours(1)).live(),
     "Time from the start of the request to the end of the response."},
    {"max_in_flight", number(&HttpTarget::max_in_flight, 1, 10'000).live(),
     "Requests at a time; with HTTP/1.1 each has its own connection. If limits have keys, one key "
     "alone gets at most seven eighths of them, so that others find room."},
    {"headers", target_headers().live(),
     "Headers of every request; secrets also as `NAME_file`. Values may contain the placeholders "
     "above, except in headers with a secret's name."},
    {"forward_headers",
     list("list of names", &HttpTarget::forward_headers, 100, take_forwarded)
         .only_where(has_no_batch, {},
                     "means nothing with batch: a request has the headers of no single record; "
                     "leave one of them out")
         .live(),
     "Record headers to forward, besides `traceparent`, `tracestate` and `baggage`."},
    {"long_key",
     choice(&HttpTarget::long_key, {"refuse", "leave_out"})
         .only_where(has_no_batch, {},
                     "means nothing with batch: keys are in the body; leave it out")
         .live(),
     "What happens to a record whose key is longer than `head_bytes` as a header: it becomes a "
     "dead letter (`too_large`), or is sent without `Kafka-Key`."},
    {"head_bytes", size(&HttpTarget::head_bytes, {1 << 10}, {64 << 10}).live(),
     "How much a record may write into the request's head: its key, the placeholders in URL, "
     "method and headers, and the forwarded headers, together. With `batch`, how long "
     "`Einlass-Records` may be."},
    {"content_type", text(&HttpTarget::content_type, parse_content_type).live(),
     "`Content-Type` of records that have none."},
    {"compress", choice(&HttpTarget::gzip, {"none", "gzip"}).live(),
     "Compression of bodies (Content-Encoding); bodies under 128 bytes are not compressed."},
    {"batch", section(&HttpTarget::batch, kBatch), "Send several records in one request."},
    {"ca_file", path(&HttpTarget::ca_file).live(),
     "CA certificates to trust instead of the system's; only with `https`."},
    {"server_name", text(&HttpTarget::server_name).live(),
     "Name that the server's certificate must have, if not the URL's host; only with `https`."},
    {"http2", choice(&HttpTarget::http2, {"auto", "always", "never"}).live(),
     "HTTP/2: `auto` if the server chooses it in TLS, `always` also without TLS (a server that "
     "does not speak it is a failed attempt), or `never`."},
    {"cert_file", path(&HttpTarget::cert_file).live(),
     "Client certificate with its chain, PEM; read again when it changes; only with `https`."},
    {"key_file", path(&HttpTarget::key_file).live(),
     "The key of `cert_file`, PEM, without a passphrase."},
    {"verify", truth(&HttpTarget::verify).live(),
     "Whether the target's certificate and name are verified. Without it anyone on the path can "
     "read, answer and steal the login; for tests only."},
    {"proxy", proxy().live(),
     "HTTP proxy (CONNECT) to the target and its token server, as "
     "`http://[user:password@]HOST:PORT`."},
    {"proxy_file", secret_file<HttpTarget>().live(), "A file that holds that URL."},
    {"auth", section(&HttpTarget::auth, kAuth, check_auth), "Authentication; one of its options."},
    {"sign", section(&HttpTarget::sign, kSign), "Signatures as in Standard Webhooks."},
    {"accept", statuses(core::Outcome::accepted).live(),
     "Statuses that mean delivered. Default: 2xx; with `[200, 202]` no other 2xx."},
    {"retry", statuses(core::Outcome::retry).live(),
     "Statuses that mean retry, besides 408, 425, 429 and 5xx."},
    {"refuse", statuses(core::Outcome::refused).live(),
     "Statuses that mean refused, besides all others. A single status takes precedence over a "
     "class such as `5xx`."},
    {"by_body", list_of("list of rules", &HttpTarget::by_body, 100, kBodyRule),
     "Rules on the response's JSON body, which take precedence over its status; the first that "
     "matches."},
};

void check_http(Section& section, HttpTarget& http) {
  check_tls(section, http);
  check_headers(section, http);
  if (http.batch) check_batch(section, http);
  check_allowed_hosts(section, http);
}

}  // namespace einlass::config
