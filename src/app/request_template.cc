#include "app/request_template.h"

#include <strings.h>

#include <algorithm>
#include <optional>

#include "app/allowed_host.h"

namespace einlass::app {
namespace {

using config::TemplatePiece;
using Kind = TemplatePiece::Kind;

// What servers commonly take of a request's first line or a header.
constexpr std::size_t kLongest = 8 * 1024;

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

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
      for (std::size_t i = 0; i < record.header_count(); ++i) {
        const kafka::Header header = record.header(i);
        if (same_name(header.name, piece.text) && header.value) return std::string(*header.value);
      }
      return std::nullopt;
    case Kind::json: {
      const JsonScalar value = record.json(piece.text);
      if (value.kind == JsonScalar::Kind::none) return std::nullopt;
      return std::string(value.text);
    }
  }
  return std::nullopt;
}

// RFC 3986, section 2.3: whatever is not unreserved means itself only when it is encoded.
void append_encoded(std::string& to, std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    const bool unreserved = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                            (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      to += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      to += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
}

// PRI begins a connection of HTTP/2, and is no request's (RFC 9113, section 11.6).
bool is_method(std::string_view text) {
  const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), letter) && text != "HEAD" &&
         text != "CONNECT" && text != "TRACE" && text != "PRI";
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

enum class Encoding { none, url };

// Appends the parts. Empty, or what is wrong.
std::string append(const config::Template& parts, Encoding encoding, const StoredRecord& record,
                   std::string& out) {
  for (const TemplatePiece& piece : parts) {
    const auto text = found(piece, record);
    if (!text) return "the record has no " + config::to_text({piece});
    const bool encoded = encoding == Encoding::url && piece.kind != Kind::text;
    const bool in_path = encoded && out.find('?') == std::string::npos;
    if (in_path && text->empty()) return config::to_text({piece}) + " is empty";
    encoded ? append_encoded(out, *text) : void(out += *text);
    if (out.size() > kLongest) return "it would be longer than 8 KiB";
  }
  return "";
}

}  // namespace

RequestTemplate::RequestTemplate(const config::HttpTarget& http)
    : host_(http.host_template),
      method_(http.method_template),
      allow_hosts_(http.allow_hosts),
      allow_slash_(http.allow_slash),
      headers_(http.header_templates),
      any_(!host_.empty() || !http.path_template.empty() || !method_.empty() || !headers_.empty()),
      values_(headers_.size()) {
  if (!http.path_template.empty()) path_ = path_stretches(http.path_template, allow_slash_);
}

std::string RequestTemplate::fill_url(const StoredRecord& record, http::Request& request) {
  if (!host_.empty()) {
    host_text_.clear();
    const std::string why = append(host_, Encoding::none, record, host_text_);
    if (!why.empty()) return "no URL for it: " + why;
    for (char& c : host_text_) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!is_host_name(host_text_)) return "no URL for it: what the record has is no host";
    if (!is_allowed_host(host_text_, allow_hosts_)) {
      return "no URL for it: its host is not one of allow_hosts";
    }
    request.host = host_text_;
  }
  if (path_.empty()) return "";
  path_text_.clear();
  for (const PathStretch& stretch : path_) {
    const std::size_t from = path_text_.size();
    std::string why = append(stretch.pieces, Encoding::url, record, path_text_);
    const std::string_view written = std::string_view(path_text_).substr(from);
    if (why.empty()) why = path_trouble(stretch, written, allow_slash_);
    if (!why.empty()) return "no URL for it: " + why;
  }
  request.path = path_text_;
  return "";
}

std::string RequestTemplate::fill_method(const StoredRecord& record, http::Request& request) {
  if (method_.empty()) return "";
  method_text_.clear();
  const std::string why = append(method_, Encoding::none, record, method_text_);
  if (!why.empty()) return "no method for it: " + why;
  if (!is_method(method_text_)) return "no method for it: what the record has is none";
  request.method = method_text_;
  return "";
}

std::string RequestTemplate::fill(const StoredRecord& record, http::Request& request,
                                  std::vector<http::RequestHeader>& headers) {
  std::string why = fill_url(record, request);
  if (why.empty()) why = fill_method(record, request);
  if (!why.empty()) return why;
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    const auto& [name, value] = headers_[i];
    values_[i].clear();
    why = append(value, Encoding::none, record, values_[i]);
    if (why.empty() && has_control(values_[i])) {
      why = "what the record has holds control characters";
    }
    if (!why.empty()) return "no header " + name + " for it: " + why;
    headers.push_back({name, values_[i]});
  }
  return "";
}

}  // namespace einlass::app
