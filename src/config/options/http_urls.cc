// Where the records of an HTTP target go, and the spans: one URL, several, or hosts that the
// records name; and the proxy on the way.
#include <algorithm>
#include <utility>

#include "config/model/address.h"
#include "config/tables/secrets.h"
#include "config/tables/tables.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

constexpr std::size_t kMostUrls = 16;

bool fits_url(std::string_view text) { return is_visible(text) && text.find('#') == text.npos; }

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
    if (piece.kind == TemplatePiece::Kind::text) {
      const std::size_t scheme = front.empty() ? piece.text.find("://") : std::string::npos;
      at = piece.text.find_first_of("/?", scheme == std::string::npos ? 0 : scheme + 3);
    }
    if (at != 0) front.push_back({piece.kind, piece.text.substr(0, at)});
    if (at != std::string::npos) rest.push_back({TemplatePiece::Kind::text, piece.text.substr(at)});
  }
  return {front, rest};
}

// Without the scheme and the port.
Template host_of(Template front) {
  std::string& first = front.front().text;
  first = first.substr(first.find("://") + 3);
  if (front.back().kind == TemplatePiece::Kind::text) {
    std::string& last = front.back().text;
    last = last.substr(0, last.rfind(':'));
  }
  std::erase_if(front, [](const TemplatePiece& piece) {
    return piece.kind == TemplatePiece::Kind::text && piece.text.empty();
  });
  return front;
}

// With a host's name for each part that is the record's.
std::string with_names(const Template& parts) {
  std::string text;
  for (const TemplatePiece& piece : parts)
    text += piece.kind == TemplatePiece::Kind::text ? piece.text : "x";
  return text;
}

// A URL that may take its host, and parts of its path and query, from a record.
struct UrlTemplate {
  HttpUrl url;    // Without what varies.
  Template host;  // Empty where it does not vary; without the port.
  Template path;  // Likewise; with the query.
};

Parsed<UrlTemplate> parse_url_template(const std::string& text) {
  auto parsed = parse_template(text);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  auto [front, rest] = cut(std::get<Template>(parsed));
  const bool varies = takes_from_record(rest);
  const bool begins = !rest.empty() && rest.front().kind == TemplatePiece::Kind::text;
  auto url = parse_http_url(with_names(front) + (begins ? rest.front().text : ""));
  if (const auto* refusal = std::get_if<Refusal>(&url)) return *refusal;
  UrlTemplate result{std::move(std::get<HttpUrl>(url)), {}, {}};
  result.url.url = without_secrets(text);
  result.url.secrets = secrets_in(text);
  if (takes_from_record(front)) result.host = host_of(front);
  if (!varies) return result;
  for (const TemplatePiece& piece : rest) {
    if (piece.kind == TemplatePiece::Kind::text && !fits_url(piece.text)) {
      return Refusal{"has a space, a # or another character that URLs write with a %, as %20"};
    }
  }
  rest.front().text = result.url.path;
  result.path = std::move(rest);
  return result;
}

Parsed<HttpUrl> parse_one_of_several(const std::string& text) {
  auto parsed = parse_url_template(text);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return *refusal;
  UrlTemplate& where = std::get<UrlTemplate>(parsed);
  if (!where.host.empty() || !where.path.empty()) {
    return Refusal{"takes a part from the record, which only url may; write it out"};
  }
  return std::move(where.url);
}

// Empty, or why this one cannot stand beside the others.
std::string beside(const HttpUrl& url, const std::vector<HttpUrl>& others) {
  for (const HttpUrl& other : others) {
    if (url.tls != other.tls) return "mixes http and https; write a target for each";
    const bool same = url.host == other.host && url.port == other.port && url.path == other.path;
    if (same) return "is written twice; keep one of them";
  }
  return "";
}

// A URL that stands in a file is a secret, but for where it leads to.
bool read_url_file(Section& section, UrlTemplate& where, std::string& file) {
  FileSecret text;
  if (!read_secret(section, text)) return false;
  auto parsed = parse_url_template(text.value);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
    section.wrong("url_file", "the URL in it " + refusal->text);
    return false;
  }
  where = std::move(std::get<UrlTemplate>(parsed));
  where.url.url = without_path(text.value);
  where.url.secrets = all_in(text.value);
  file = text.file;
  return true;
}

void read_url(Section& section, HttpTarget& http) {
  if (section.has("urls")) return;
  if (!section.require("write url: http://HOST:PORT/PATH")) return;
  UrlTemplate where;
  if (section.has("url_file")) {
    if (!read_url_file(section, where, http.url_file)) return;
  } else {
    section.read_url(where, [](const Scalar& s) { return parse_url_template(s.text); });
  }
  static_cast<HttpUrl&>(http) = std::move(where.url);
  http.host_template = std::move(where.host);
  http.path_template = std::move(where.path);
}

void print_url(PrintedPage& page, const HttpTarget& http) {
  if (!http.urls.empty()) return;
  const std::string hidden = http.path + to_text(http.path_template);
  if (!http.url_file.empty()) return page.secret({http.url + hidden, http.url_file});
  page.text_hiding(http.url, hidden);
}

void read_urls(Section& section, HttpTarget& http) {
  if (section.find() == nullptr) return;
  for (const char* one : {"url", "url_file"}) {
    if (section.has(one)) section.wrong("stands beside " + std::string(one) + "; keep one of them");
  }
  const auto take = [&](const Scalar& item) {
    auto url = parse_one_of_several(item.text);
    if (const auto* refusal = std::get_if<Refusal>(&url)) return refusal->text;
    std::string trouble = beside(std::get<HttpUrl>(url), http.urls);
    if (trouble.empty()) http.urls.push_back(std::move(std::get<HttpUrl>(url)));
    return trouble;
  };
  section.read_list(kMostUrls, take, "names none; write [http://HOST:PORT/PATH, ...]",
                    may_hold_secret);
  if (!http.urls.empty()) static_cast<HttpUrl&>(http) = http.urls.front();
}

void print_urls(PrintedPage& page, const HttpTarget& http) {
  std::vector<std::string> urls;
  std::string hidden;
  for (const HttpUrl& url : http.urls) {
    urls.push_back(url.url);
    hidden += " " + url.path;
  }
  if (!urls.empty()) page.list_hiding(urls, hidden);
}

// The parser of targets' URLs, which knows that most collectors have one path for spans.
Parsed<HttpUrl> parse_collector(const Scalar& scalar) {
  const auto url = split_url(scalar.text);
  if (url && url->login) {
    return Refusal{"has a login in it; write it under headers, as Authorization_file: PATH"};
  }
  auto parsed = parse_http_url(scalar.text);
  if (refused(parsed) || std::get<HttpUrl>(parsed).path != "/") return parsed;
  return Refusal{"has no path; write it whole, as http://HOST:4318/v1/traces"};
}

void read_collector(Section& section, HttpTarget& collector) {
  section.read_url(static_cast<HttpUrl&>(collector), parse_collector);
}

// Empty, or what is wrong, in words that do not have the URL: there may be a password in it.
std::string parse_proxy(const std::string& text, HttpProxy& proxy) {
  const auto url = split_url(text);
  if (!url || url->scheme != "http") return "is no proxy; write http://[USER:PASSWORD@]HOST:PORT";
  const bool more = !url->path.empty() && url->path != "/";
  if (more || url->query || url->fragment) return "has more than a host and a port; leave that out";
  const auto address = parse_host_port(url->address, 3128);
  if (refused(address)) return std::get<Refusal>(address).text;
  proxy.host = std::get<HostPort>(address).host;
  proxy.port = std::get<HostPort>(address).port;
  if (!url->login) return "";
  const auto login = split_login(*url->login);
  if (!login) return "has a % in its login that no two hex digits follow";
  if (login->username.find(':') != std::string::npos) return "has a colon in its user's name";
  proxy.username = login->username;
  proxy.password = login->password;
  return "";
}

void read_proxy(Section& section, HttpTarget& http) {
  FileSecret url;
  if (!read_secret(section, url)) return;
  const std::string trouble = parse_proxy(url.value, http.proxy);
  if (!trouble.empty()) section.wrong(section.written_as(section.option()), trouble);
}

void print_proxy(PrintedPage& page, const HttpTarget& http) {
  const HttpProxy& proxy = http.proxy;
  if (proxy.host.empty()) return;
  const bool login = !proxy.username.empty() || !proxy.password.empty();
  page.text_hiding(
      std::string("http://") + (login ? "***@" : "") + to_text(HostPort{proxy.host, proxy.port}),
      proxy.username + ":" + proxy.password);
}

}  // namespace

Parsed<HttpUrl> parse_http_url(const std::string& text) {
  HttpUrl http;
  const auto url = split_url(text);
  if (!url && text.find("://") != text.npos) {
    return Refusal{"has a space or another character that URLs write with a %, as %20"};
  }
  if (!url || (url->scheme != "http" && url->scheme != "https")) {
    return Refusal{"is not a URL; write http://HOST:PORT/PATH or https://..."};
  }
  if (url->login) return Refusal{"has a login in it; write it under auth, as basic"};
  if (url->fragment) return Refusal{"has a # in it, which no server gets to see; leave it out"};
  if (url->address.empty()) return Refusal{"names no host; write http://HOST:PORT/PATH"};
  http.tls = url->scheme == "https";
  const auto address = parse_host_port(url->address, http.tls ? 443 : 80);
  if (refused(address)) return std::get<Refusal>(address);
  http.host = std::get<HostPort>(address).host;
  http.port = std::get<HostPort>(address).port;
  http.path = url->path.empty() ? "/" : std::string(url->path);
  if (url->query) http.path += "?" + std::string(*url->query);
  http.url = without_secrets(text);
  http.secrets = secrets_in(text);
  return http;
}

std::string take_host_pattern(Section&, const Scalar& item, HttpTarget& http) {
  std::string_view name = item.text;
  if (name.starts_with("*.")) name.remove_prefix(2);
  const auto fits = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
  };
  const bool sound = !name.empty() && name.front() != '.' && name.back() != '.' &&
                     name.find("..") == name.npos && std::all_of(name.begin(), name.end(), fits);
  if (!sound && item.text != "*") {
    return "is no host; write billing.example, *.billing.example or * (in small letters)";
  }
  http.allow_hosts.push_back(item.text);
  return "";
}

Field<HttpTarget> target_url() {
  return custom<HttpTarget>(Kind::text, "http:// or https:// URL", read_url, print_url)
      .defaults_to("required");
}

Field<HttpTarget> target_urls() {
  return custom<HttpTarget>(Kind::list, "list of URLs", read_urls, print_urls)
      .defaults_to("see text");
}

Field<HttpTarget> proxy() {
  return custom<HttpTarget>(Kind::text, "http:// URL, a secret", read_proxy, print_proxy);
}

const Rows<HttpTarget> kTracing = {
    {"url",
     custom<HttpTarget>(Kind::text, "http:// or https:// URL", read_collector, print_url)
         .required("http://HOST:4318/v1/traces"),
     "OTLP/HTTP endpoint for spans, for example `http://127.0.0.1:4318/v1/traces`. A record is "
     "traced if its `traceparent` says sampled."},
    {"headers", collector_headers().live(),
     "Headers of every request to it; all are treated as secrets and may come from files, as "
     "`NAME_file: PATH`."},
    {"ca_file",
     path(&HttpTarget::ca_file)
         .only_where([](const HttpTarget& collector) { return collector.tls; }, {"url"},
                     "means nothing without TLS; write an https:// URL, or leave it out"),
     "CA certificates to trust instead of the system's."},
};

// Hosts that records name.
void check_allowed_hosts(Section& section, const HttpTarget& http) {
  if (http.host_template.empty() || !section.sound({"url"})) return;
  const std::string url = section.written_as("url");
  if (http.allow_hosts.empty()) {
    section.wrong(
        url, "takes its host from the record; write allow_hosts with the names that may be called");
  } else if (!http.allow_private && section.has(section.written_as("proxy"))) {
    section.wrong(url,
                  "takes its host from the record, and through a proxy private addresses cannot be "
                  "recognised; write allow_private: true, or leave out the proxy");
  }
}

}  // namespace einlass::config
