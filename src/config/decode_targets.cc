#include <algorithm>

#include "config/address.h"
#include "config/decode.h"
#include "config/names.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kTimeout{Duration::millis(1), Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kInFlight{1, 10'000};
constexpr Bounds<Bytes> kHeadBytes{{1 << 10}, {64 << 10}};
constexpr std::size_t kMostForwarded = 100;

Parsed<std::string> parse_method(const Scalar& scalar) {
  const std::string& text = scalar.text;
  const bool lower =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_http_token(text) || lower) {
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
  const bool sound = slash != type.npos && is_http_token(type.substr(0, slash)) &&
                     is_http_token(type.substr(slash + 1));
  if (!sound) return Refusal{"is not a media type; write application/json or text/plain"};
  return parse_text(scalar);
}

std::string header_trouble(std::string_view name, const std::string& value) {
  if (!is_http_token(name)) return "not a header's name; write letters, digits and -";
  if (is_reserved_header(name)) return "written by the gate itself; leave it out";
  if (same_header(name, "Content-Type")) return "set by content_type; leave it out here";
  const auto control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  };
  if (std::any_of(value.begin(), value.end(), control)) {
    return "its value has a line break or another control character";
  }
  return "";
}

bool is_written(const HttpTarget& http, std::string_view name) {
  const auto same = [&](const auto& header) { return same_header(header.first, name); };
  return std::any_of(http.headers.begin(), http.headers.end(), same) ||
         std::any_of(http.header_templates.begin(), http.header_templates.end(), same);
}

std::string forward_trouble(const HttpTarget& http, std::string_view name) {
  if (!is_http_token(name)) return "is not a header's name; write letters, digits and -";
  if (is_reserved_header(name)) return "is written by the gate itself; leave it out";
  for (const std::string_view always : {"traceparent", "tracestate", "baggage", "content-type"}) {
    if (same_header(name, always)) return "is always sent on; leave it out";
  }
  for (const std::string_view login : {"authorization", "proxy-authorization"}) {
    if (same_header(name, login)) return "is a login and not the record's to give; use headers";
  }
  if (is_written(http, name)) return "is set by headers already; keep one of them";
  for (const std::string& other : http.forward_headers) {
    if (same_header(name, other)) return "is written twice; keep one of them";
  }
  return "";
}

void decode_forward_headers(Section& section, HttpTarget& http) {
  const Node* list = section.find("forward_headers");
  const std::string path = section.path_of("forward_headers");
  const auto items = list_items(section.reading(), list, path, kMostForwarded);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto name = section.reading().scalar(*items[i], path + "[" + std::to_string(i) + "]");
    if (!name) continue;
    const std::string trouble = forward_trouble(http, name->text);
    if (!trouble.empty()) section.reading().wrong(*name, trouble);
    http.forward_headers.push_back(name->text);
  }
}

void decode_tls(Section& section, bool url_is_sound, HttpTarget& http) {
  section.read_text("ca_file", http.ca_file);
  section.read_text("server_name", http.server_name);
  section.read_text("cert_file", http.cert_file);
  section.read_text("key_file", http.key_file);
  section.read_boolean("verify", http.verify);
  const bool token_tls = http.auth.token_url.tls;
  for (const std::string_view name : {"ca_file", "server_name", "cert_file", "verify"}) {
    if (!section.has(name) || !url_is_sound || http.tls) continue;
    if (token_tls && name != "server_name") continue;
    if (name == "verify" && http.verify) continue;
    section.reading().wrong(section.place_of(name), section.path_of(name),
                            "means nothing without TLS; write an https:// URL, or leave it out");
  }
  const auto alone = [&](std::string_view name, std::string_view other) {
    if (!section.has(name) || section.has(other)) return;
    section.reading().wrong(section.place_of(name), section.path_of(name),
                            "is one half; write " + std::string(other) + " too");
  };
  alone("cert_file", "key_file");
  alone("key_file", "cert_file");
  if (http.verify) return;
  for (const std::string_view name : {"ca_file", "server_name"}) {
    if (!section.has(name)) continue;
    section.reading().wrong(section.place_of(name), section.path_of(name),
                            "means nothing where nothing is verified; leave out verify: false");
  }
}

// One that the record names is looked at when it is there.
void decode_method(Section& section, HttpTarget& http) {
  Template parts;
  const auto parse = [](const Scalar& s) { return parse_template(s.text); };
  if (!section.read("method", parts, parse)) return;
  if (takes_from_record(parts)) {
    http.method_template = std::move(parts);
  } else {
    section.read("method", http.method, parse_method);
  }
}

void decode_compress(Section& section, HttpTarget& http) {
  section.read("compress", http.gzip, one_of<bool>({"none", "gzip"}));
  const auto same = [](const auto& name) { return same_header(name, "Content-Encoding"); };
  const bool written = is_written(http, "Content-Encoding") ||
                       std::any_of(http.forward_headers.begin(), http.forward_headers.end(), same);
  if (!http.gzip || !written) return;
  section.reading().wrong(section.place_of("compress"), section.path_of("compress"),
                          "writes Content-Encoding, which headers or forward_headers do already; "
                          "keep one of them");
}

void decode_http(Section& section, HttpTarget& http) {
  section.refuse_unknown_keys();
  const bool sound = decode_http_urls(section, http);
  decode_method(section, http);
  section.read_duration("timeout", http.timeout, kTimeout);
  section.read_whole("max_in_flight", http.max_in_flight, kInFlight);
  decode_http_headers(section, Secrets::of_headers, http);
  decode_header_templates(section, http);
  decode_forward_headers(section, http);
  section.read("long_key", http.long_key, one_of<LongKey>({"refuse", "leave_out"}));
  section.read_size("head_bytes", http.head_bytes, kHeadBytes);
  section.read("content_type", http.content_type, parse_content_type);
  decode_http_proxy(section, http);
  decode_http_auth(section, http);
  decode_http_sign(section, http);
  decode_http_answers(section, http);
  decode_tls(section, sound, http);
  section.read("http2", http.http2, one_of<Http2>({"auto", "always", "never"}));
  decode_compress(section, http);
  decode_http_batch(section, http);
}

// One of the kinds of targets.
void decode_kind(Section& section, const Kafka& kafka, Target& target) {
  Reading& reading = section.reading();
  if (section.has("http") && section.has("kafka")) {
    reading.wrong(section.place_of("kafka"), section.path_of("kafka"),
                  "stands beside http; a target is one of them");
  } else if (const Node* node = section.find("kafka")) {
    Section inner(reading, node, section.path_of("kafka"), "targets.NAME.kafka");
    decode_kafka_target(inner, kafka, target.kafka.emplace());
  } else if (section.require("http",
                             "write http: {url: http://HOST:PORT/PATH}, or kafka: "
                             "{topic: TOPIC}")) {
    Section inner(reading, section.find("http"), section.path_of("http"), "targets.NAME.http");
    decode_http(inner, target.http);
  }
}

// A request with fresh records and retries in it is neither.
void refuse_budget(Section& section, Target& target, const char* beside) {
  Section retry(section.reading(), section.find("retry"), section.path_of("retry"),
                "targets.NAME.retry");
  if (retry.has("budget") && target.retry_share < 100) {
    section.reading().wrong(retry.place_of("budget"), retry.path_of("budget"),
                            std::string("cannot be kept with ") + beside +
                                ", for a request may hold both kinds; write 100%, or leave it "
                                "out");
  }
  target.retry_share = 100;
}

}  // namespace

void decode_http_headers(Section& section, Secrets secrets, HttpTarget& http) {
  read_free_texts(section, "headers", secrets,
                  [&](const Entry& entry, std::string_view name, std::string value) {
                    std::string trouble = header_trouble(name, value);
                    if (is_written(http, name)) trouble = "written twice; keep one of them";
                    // What a file holds is taken as it is, though its header may have templates.
                    const bool from_file = name.size() < entry.name.size();
                    if (secrets == Secrets::of_headers && from_file && !is_secret_name(name)) {
                      value = to_text(Template{{TemplatePiece::Kind::text, std::move(value)}});
                    }
                    http.headers.emplace_back(name, std::move(value));
                    if (trouble.empty()) return;
                    section.reading().wrong(entry.place, below(section.path_of("headers"), name),
                                            std::move(trouble));
                  });
}

void decode_targets(Section& top, const Kafka& kafka, std::vector<Target>& targets) {
  Reading& reading = top.reading();
  if (!top.require("targets", "write at least one, as targets: {NAME: {http: {url: ...}}}")) return;
  for (const Entry* entry : map_entries(reading, top.find("targets"), "targets")) {
    const std::string path = below("targets", entry->name);
    refuse_bad_key(reading, *entry, path);
    Target& target = targets.emplace_back();
    target.name = entry->name;
    Section section(reading, entry->value, path, "targets.NAME");
    section.refuse_unknown_keys();
    decode_target_retry(section, target);
    decode_breaker(section, target.breaker);
    decode_kind(section, kafka, target);
    if (target.http.batch) refuse_budget(section, target, "http.batch");
    if (target.exactly_once()) refuse_budget(section, target, "kafka.exactly_once");
  }
}

}  // namespace einlass::config
