#include "app/targets/request_template.h"

#include <algorithm>
#include <optional>

#include "app/record/extract.h"
#include "app/targets/allowed_host.h"
#include "text/ascii.h"

namespace einlass::app {
namespace {

using config::TemplatePiece;
using Kind = TemplatePiece::Kind;

// What the record has there; none if it has nothing, or nothing that is a text.
std::optional<std::string> found(const TemplatePiece& piece, const StoredRecord& record) {
  switch (piece.kind) {
    case Kind::text:
      return piece.text;
    case Kind::topic:
      return std::string(record.topic());
    case Kind::partition:
      return std::to_string(record.number.value);
    case Kind::offset:
      return std::to_string(record.offset.value);
    case Kind::key:
      if (record.key()) return std::string(*record.key());
      return std::nullopt;
    case Kind::header:
      if (const auto value = header_value(record, piece.text)) return std::string(*value);
      return std::nullopt;
    case Kind::json: {
      const JsonScalar value = record.json(piece.text);
      if (value.kind == JsonScalar::Kind::none) return std::nullopt;
      return std::string(value.text);
    }
  }
  return std::nullopt;
}

// A number that 64 bits do not hold is kept rounded, and with an exponent: it would name something
// else.
bool is_rounded(const TemplatePiece& piece, const StoredRecord& record) {
  if (piece.kind != Kind::json) return false;
  const JsonScalar value = record.json(piece.text);
  return value.kind == JsonScalar::Kind::number && value.text.find('e') != std::string_view::npos;
}

// PRI begins a connection of HTTP/2, and is no request's (RFC 9113, section 11.6).
bool is_method(std::string_view text) {
  const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), letter) && text != "HEAD" &&
         text != "CONNECT" && text != "TRACE" && text != "PRI";
}

enum class Encoding { none, url };

// Appends the parts, and takes of `room` what the record writes.
Unwritten append(const config::Template& parts, Encoding encoding, const StoredRecord& record,
                 std::size_t& room, std::string& out) {
  for (const TemplatePiece& piece : parts) {
    const auto text = found(piece, record);
    if (!text) return {"the record has no " + config::to_text({piece})};
    if (is_rounded(piece, record)) {
      return {config::to_text({piece}) + " is a number that is not kept as it is written"};
    }
    const bool encoded = encoding == Encoding::url && piece.kind != Kind::text;
    const bool in_path = encoded && out.find('?') == std::string::npos;
    if (in_path && text->empty()) return {config::to_text({piece}) + " is empty"};
    const std::size_t before = out.size();
    encoded ? append_percent_encoded(out, *text) : void(out += *text);
    if (piece.kind == Kind::text) continue;
    const std::size_t written = out.size() - before;
    if (written > room) return {"the record has more for the head than head_bytes", true};
    room -= written;
  }
  return {};
}

// The same, with what it is that cannot be written.
Unwritten for_want_of(const std::string& what, Unwritten one) {
  one.why = "no " + what + " for it: " + one.why;
  return one;
}

}  // namespace

RequestTemplate::RequestTemplate(const config::HttpTarget& http)
    : host_(http.host_template),
      method_(http.method_template),
      allow_hosts_(http.allow_hosts),
      allow_slash_(http.allow_slash),
      headers_(http.header_templates),
      values_(headers_.size()) {
  if (!http.path_template.empty()) path_ = path_stretches(http.path_template, allow_slash_);
}

Unwritten RequestTemplate::fill_url(const StoredRecord& record, http::Request& request,
                                    std::size_t& room) {
  if (!host_.empty()) {
    host_text_.clear();
    Unwritten one = append(host_, Encoding::none, record, room, host_text_);
    for (char& c : host_text_) c = lower(c);
    if (one.why.empty() && !is_host_name(host_text_)) one.why = "what the record has is no host";
    if (one.why.empty() && !is_allowed_host(host_text_, allow_hosts_)) {
      one.why = "its host is not one of allow_hosts";
    }
    if (!one.why.empty()) return for_want_of("URL", std::move(one));
    request.host = host_text_;
  }
  if (path_.empty()) return {};
  path_text_.clear();
  for (const PathStretch& stretch : path_) {
    const std::size_t from = path_text_.size();
    Unwritten one = append(stretch.pieces, Encoding::url, record, room, path_text_);
    const std::string_view written = std::string_view(path_text_).substr(from);
    if (one.why.empty()) one.why = path_trouble(stretch, written, allow_slash_);
    if (!one.why.empty()) return for_want_of("URL", std::move(one));
  }
  request.path = path_text_;
  return {};
}

Unwritten RequestTemplate::fill_method(const StoredRecord& record, http::Request& request,
                                       std::size_t& room) {
  if (method_.empty()) return {};
  method_text_.clear();
  Unwritten one = append(method_, Encoding::none, record, room, method_text_);
  if (one.why.empty() && !is_method(method_text_)) one.why = "what the record has is none";
  if (!one.why.empty()) return for_want_of("method", std::move(one));
  request.method = method_text_;
  return {};
}

Unwritten RequestTemplate::fill(const StoredRecord& record, http::Request& request,
                                std::vector<http::RequestHeader>& headers, std::size_t& room) {
  Unwritten one = fill_url(record, request, room);
  if (one.why.empty()) one = fill_method(record, request, room);
  if (!one.why.empty()) return one;
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    const auto& [name, value] = headers_[i];
    values_[i].clear();
    one = append(value, Encoding::none, record, room, values_[i]);
    if (one.why.empty() && has_control(values_[i])) {
      one.why = "what the record has holds control characters";
    }
    if (!one.why.empty()) return for_want_of("header " + name, std::move(one));
    headers.push_back({name, values_[i]});
  }
  return {};
}

}  // namespace einlass::app
