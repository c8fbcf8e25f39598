#include "config/model/templates.h"

#include <algorithm>
#include <iterator>

#include "config/model/names.h"

namespace einlass::config {
namespace {

using Kind = TemplatePiece::Kind;

constexpr std::string_view kHeader = "header:";
constexpr std::string_view kJson = "json:";
constexpr std::string_view kNames[] = {"", "topic", "partition", "offset", "key"};

// What stands there is not shown: a URL or a header may have a secret in it.
Refusal unknown() {
  return Refusal{
      "has braces around something other than topic, partition, offset, key, "
      "header:NAME or json:/pointer; write {header:tenant} for a record's header, {{ for a brace"};
}

// What stands between two braces.
Parsed<TemplatePiece> parse_piece(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return TemplatePiece{static_cast<Kind>(i), ""};
  }
  if (name.starts_with(kHeader) && name.size() > kHeader.size()) {
    return TemplatePiece{Kind::header, std::string(name.substr(kHeader.size()))};
  }
  if (name.starts_with(kJson) && is_json_pointer(name.substr(kJson.size()))) {
    return TemplatePiece{Kind::json, std::string(name.substr(kJson.size()))};
  }
  return unknown();
}

void add_text(Template& parts, char c) {
  if (parts.empty() || parts.back().kind != Kind::text) parts.push_back({Kind::text, ""});
  parts.back().text += c;
}

}  // namespace

Parsed<Template> parse_template(std::string_view text) {
  Template parts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if (c == '}' && !doubled) return Refusal{"has a } without its {; write }} for a brace"};
    if (c != '{' && c != '}') {
      add_text(parts, c);
    } else if (doubled) {
      add_text(parts, c);
      ++at;
    } else {
      const std::size_t end = text.find('}', at);
      if (end == text.npos) return Refusal{"has a { without its }; write {{ for a brace"};
      auto piece = parse_piece(text.substr(at + 1, end - at - 1));
      if (const auto* refusal = std::get_if<Refusal>(&piece)) return *refusal;
      parts.push_back(std::move(std::get<TemplatePiece>(piece)));
      at = end;
    }
  }
  return parts;
}

bool takes_from_record(const Template& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [](const TemplatePiece& piece) { return piece.kind != Kind::text; });
}

std::string to_text(const Template& parts) {
  std::string text;
  for (const TemplatePiece& piece : parts) {
    if (piece.kind == Kind::text) {
      for (const char c : piece.text) text += std::string(c == '{' || c == '}' ? 2 : 1, c);
      continue;
    }
    const bool header = piece.kind == Kind::header;
    const bool named = header || piece.kind == Kind::json;
    text += named ? "{" + std::string(header ? kHeader : kJson) + piece.text + "}"
                  : "{" + std::string(kNames[static_cast<std::size_t>(piece.kind)]) + "}";
  }
  return text;
}

}  // namespace einlass::config
