#include "app/tracing/spans.h"

#include <nlohmann/json.hpp>

#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "https://opentelemetry.io/schemas/1.30.0";
constexpr int kStatusError = 2;
// Of the producer's context: it comes from another process.
constexpr int kSampledWithRemoteParent = 0x301, kSampled = 0x101;

// 64 bit numbers are texts in the protocol's JSON.
std::string nanoseconds(Instant at) { return std::to_string(at.us) + "000"; }

Json any_value(const Span::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return {{"stringValue", valid_utf8(*text)}};
  if (const auto* truth = std::get_if<bool>(&value)) return {{"boolValue", *truth}};
  return {{"intValue", std::to_string(std::get<std::int64_t>(value))}};
}

Json attribute(std::string_view key, const Span::Value& value) {
  return {{"key", key}, {"value", any_value(value)}};
}

}  // namespace

std::string to_json(const Span& span) {
  Json attributes = Json::array();
  for (const auto& [key, value] : span.attributes) attributes.push_back(attribute(key, value));
  const bool remote_parent = span.kind == SpanKind::consumer;
  Json json{{"traceId", span.trace},
            {"spanId", span.id},
            {"parentSpanId", span.parent},
            {"flags", remote_parent ? kSampledWithRemoteParent : kSampled},
            {"name", valid_utf8(span.name)},
            {"kind", static_cast<int>(span.kind)},
            {"startTimeUnixNano", nanoseconds(span.began)},
            {"endTimeUnixNano", nanoseconds(span.ended)},
            {"attributes", std::move(attributes)}};
  if (!span.error.empty()) {
    json["status"] = {{"code", kStatusError}, {"message", valid_utf8(span.error)}};
  }
  return json.dump();
}

SpanRequest::SpanRequest(const std::string& instance) {
  const Json resource =
      Json::array({attribute("service.name", "einlass"), attribute("service.instance.id", instance),
                   attribute("service.version", EINLASS_VERSION)});
  const Json scope{{"name", "einlass"}, {"version", EINLASS_VERSION}};
  before_ = R"({"resourceSpans":[{"resource":{"attributes":)" + resource.dump() +
            R"(},"scopeSpans":[{"scope":)" + scope.dump() + R"(,"schemaUrl":")" +
            std::string(kSchema) + R"(","spans":[)";
}

std::string SpanRequest::body(std::span<const std::string> spans) const {
  std::string body = before_;
  for (const std::string& span : spans) {
    if (&span != spans.data()) body += ',';
    body += span;
  }
  return body + "]}]}]}";
}

}  // namespace einlass::app
