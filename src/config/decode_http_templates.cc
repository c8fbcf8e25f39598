// Which parts of a request are taken from its record.
#include <algorithm>
#include <utility>

#include "config/address.h"
#include "config/decode.h"
#include "config/names.h"

namespace einlass::config {
namespace {

using Kind = TemplatePiece::Kind;

bool fits_url(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 32 && c < 127 && c != '#'; });
}

// The scheme with the host, and the path with the query, which begins at the first / or ? of the
// URL's own text.
std::pair<Template, Template> cut(const Template& parts) {
  Template front, rest;
  for (const TemplatePiece& piece : parts) {
    if (!rest.empty()) {
      rest.push_back(piece);
      continue;
    }
    std::size_t at = std::string::npos;
    if (piece.kind == Kind::text) {
      const std::size_t scheme = front.empty() ? piece.text.find("://") : std::string::npos;
      at = piece.text.find_first_of("/?", scheme == std::string::npos ? 0 : scheme + 3);
    }
    if (at != 0) front.push_back({piece.kind, piece.text.substr(0, at)});
    if (at != std::string::npos) rest.push_back({Kind::text, piece.text.substr(at)});
  }
  return {front, rest};
}

// Without the scheme and the port.
Template host_of(Template front) {
  std::string& first = front.front().text;
  first = first.substr(first.find("://") + 3);
  if (front.back().kind == Kind::text) {
    std::string& last = front.back().text;
    last = last.substr(0, last.rfind(':'));
  }
  std::erase_if(front, [](const TemplatePiece& piece) {
    return piece.kind == Kind::text && piece.text.empty();
  });
  return front;
}

// With a host's name for each part that is the record's.
std::string with_names(const Template& parts) {
  std::string text;
  for (const TemplatePiece& piece : parts) text += piece.kind == Kind::text ? piece.text : "x";
  return text;
}

}  // namespace

Parsed<UrlTemplate> parse_url_template(const std::string& text) {
  auto parsed = parse_template(text);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  auto [front, rest] = cut(std::get<Template>(parsed));
  const bool varies = takes_from_record(rest);
  const bool begins = !rest.empty() && rest.front().kind == Kind::text;
  auto url = parse_http_url(with_names(front) + (begins ? rest.front().text : ""));
  if (const auto* refusal = std::get_if<Refusal>(&url)) return *refusal;
  UrlTemplate result{std::move(std::get<HttpUrl>(url)), {}, {}};
  result.url.url = without_secrets(text);
  result.url.secrets = secrets_in(text);
  if (takes_from_record(front)) result.host = host_of(front);
  if (!varies) return result;
  for (const TemplatePiece& piece : rest) {
    if (piece.kind == Kind::text && !fits_url(piece.text)) {
      return Refusal{"has a space, a # or another character that URLs write with a %, as %20"};
    }
  }
  rest.front().text = result.url.path;
  result.path = std::move(rest);
  return result;
}

void decode_header_templates(Section& section, HttpTarget& http) {
  std::vector<std::pair<std::string, std::string>> constant;
  for (auto& [name, value] : http.headers) {
    auto parsed = parse_template(value);
    if (is_secret_name(name)) {  // A password may have braces in it.
      constant.emplace_back(name, value);
    } else if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
      section.reading().wrong(section.place_of("headers"), below(section.path_of("headers"), name),
                              refusal->text);
    } else if (Template& parts = std::get<Template>(parsed); takes_from_record(parts)) {
      http.header_templates.emplace_back(name, std::move(parts));
    } else {
      constant.emplace_back(name, parts.empty() ? "" : parts.front().text);
    }
  }
  http.headers = std::move(constant);
}

}  // namespace einlass::config
