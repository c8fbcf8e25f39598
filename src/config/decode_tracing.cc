#include "config/address.h"
#include "config/decode.h"

namespace einlass::config {
namespace {

// The parser of targets' URLs, which knows that most collectors have one path for spans.
Parsed<HttpUrl> parse_collector(const Scalar& scalar) {
  auto parsed = parse_http_url(scalar.text);
  if (refused(parsed) || std::get<HttpUrl>(parsed).path != "/") return parsed;
  return Refusal{"has no path; write it whole, as http://HOST:4318/v1/traces"};
}

}  // namespace

void decode_tracing(Section& top, std::optional<HttpTarget>& tracing) {
  if (!top.has("tracing")) return;
  Section section(top.reading(), top.find("tracing"), "tracing", "tracing");
  section.refuse_unknown_keys();
  HttpTarget& collector = tracing.emplace();
  const Node* url = section.find("url");
  const bool secret = url != nullptr && may_hold_secret(url->text);
  const bool sound = section.require("url", "write url: http://HOST:4318/v1/traces") &&
                     section.read("url", static_cast<HttpUrl&>(collector), parse_collector, secret);
  // Collectors' keys go by any name.
  decode_http_headers(section, Secrets::all, collector);
  section.read_text("ca_file", collector.ca_file);
  if (!section.has("ca_file") || !sound || collector.tls) return;
  section.reading().wrong(section.place_of("ca_file"), section.path_of("ca_file"),
                          "means nothing without TLS; write an https:// URL, or leave it out");
}

}  // namespace einlass::config
