// The headers of an HTTP target: the same for all, those that records write, and those of the
// record that are sent on.
#include <algorithm>
#include <utility>

#include "config/model/names.h"
#include "config/tables/secrets.h"
#include "config/tables/tables.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

std::string header_trouble(std::string_view name, const std::string& value) {
  if (!is_token(name)) return "not a header's name; write letters, digits and -";
  if (is_reserved_header(name)) return "written by the gate itself; leave it out";
  if (same_name(name, "Content-Type")) return "set by content_type; leave it out here";
  if (has_control(value)) return "its value has a line break or another control character";
  return "";
}

bool is_written(const HttpTarget& http, std::string_view name) {
  const auto same = [&](const auto& header) { return same_name(header.first, name); };
  return std::any_of(http.headers.begin(), http.headers.end(), same) ||
         std::any_of(http.header_templates.begin(), http.header_templates.end(), same);
}

std::string forward_trouble(const HttpTarget& http, std::string_view name) {
  if (!is_token(name)) return "is not a header's name; write letters, digits and -";
  if (is_reserved_header(name)) return "is written by the gate itself; leave it out";
  for (const std::string_view always : {"traceparent", "tracestate", "baggage", "content-type"}) {
    if (same_name(name, always)) return "is always sent on; leave it out";
  }
  for (const std::string_view login : {"authorization", "proxy-authorization"}) {
    if (same_name(name, login)) return "is a login and not the record's to give; use headers";
  }
  if (is_written(http, name)) return "is set by headers already; keep one of them";
  for (const std::string& other : http.forward_headers) {
    if (same_name(name, other)) return "is written twice; keep one of them";
  }
  return "";
}

void read_headers(Section& section, Secrets secrets, HttpTarget& http) {
  const auto take = [&](const Entry& entry, std::string_view name, std::string value) {
    std::string trouble = header_trouble(name, value);
    if (is_written(http, name)) trouble = "written twice; keep one of them";
    // What a file holds is taken as it is, though its header may have templates. Nothing is no
    // secret: whoever writes it anew is not done.
    const bool from_file = name.size() < entry.name.size();
    if (from_file && value.empty()) trouble = "its file is empty";
    if (secrets == Secrets::of_headers && from_file && !is_secret_name(name)) {
      value = to_text(Template{{TemplatePiece::Kind::text, std::move(value)}});
    }
    http.headers.emplace_back(name, std::move(value));
    if (trouble.empty()) return;
    section.reading().wrong(entry.position, below(section.path_of(), name), std::move(trouble));
  };
  read_free_texts(section, secrets, take);
}

// Takes those that records write out of the others.
void split_templates(Section& section, HttpTarget& http) {
  std::vector<std::pair<std::string, std::string>> constant;
  for (auto& [name, value] : http.headers) {
    auto parsed = parse_template(value);
    if (is_secret_name(name)) {  // A password may have braces in it.
      constant.emplace_back(name, value);
    } else if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
      section.reading().wrong(section.position_of(section.option(), name),
                              below(section.path_of(), name), refusal->text);
    } else if (Template& parts = std::get<Template>(parsed); takes_from_record(parts)) {
      http.header_templates.emplace_back(name, std::move(parts));
    } else {
      constant.emplace_back(name, parts.empty() ? "" : parts.front().text);
    }
  }
  http.headers = std::move(constant);
}

// As they would be written: with doubled braces, but for secrets.
std::vector<std::pair<std::string, std::string>> written_headers(const HttpTarget& http) {
  auto headers = http.headers;
  for (auto& [name, value] : headers) {
    if (!is_secret_name(name)) value = to_text(Template{{TemplatePiece::Kind::text, value}});
  }
  for (const auto& [name, parts] : http.header_templates) {
    headers.emplace_back(name, to_text(parts));
  }
  return headers;
}

}  // namespace

bool writes_header(const HttpTarget& http, std::string_view name) {
  return is_written(http, name) ||
         std::any_of(http.forward_headers.begin(), http.forward_headers.end(),
                     [&](const std::string& header) { return same_name(header, name); });
}

Field<HttpTarget> target_headers() {
  return custom<HttpTarget>(
      Kind::map, "map",
      [](Section& section, HttpTarget& http) {
        read_headers(section, Secrets::of_headers, http);
        split_templates(section, http);
      },
      [](PrintedPage& page, const HttpTarget& http) {
        page.texts(written_headers(http), may_be_secret);
      });
}

// Collectors' keys go by any name.
Field<HttpTarget> collector_headers() {
  return custom<HttpTarget>(
      Kind::map, "map",
      [](Section& section, HttpTarget& http) { read_headers(section, Secrets::all, http); },
      [](PrintedPage& page, const HttpTarget& http) {
        if (!http.headers.empty()) page.texts(http.headers, [](std::string_view) { return true; });
      });
}

std::string take_forwarded(Section&, const Scalar& item, HttpTarget& http) {
  std::string trouble = forward_trouble(http, item.text);
  http.forward_headers.push_back(item.text);
  return trouble;
}

}  // namespace einlass::config
