// Where the records of an HTTP target go: one URL, several, or hosts that the records name.
#include <algorithm>

#include "config/address.h"
#include "config/decode.h"

namespace einlass::config {
namespace {

constexpr std::size_t kMostUrls = 16;
constexpr std::size_t kMostHosts = 1'000;

void refuse(Section& section, std::string_view name, const std::string& why) {
  section.reading().wrong(section.place_of(name), section.path_of(name), why);
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

bool decode_several(Section& section, HttpTarget& http) {
  Reading& reading = section.reading();
  const std::string path = section.path_of("urls");
  const auto items = list_items(reading, section.find("urls"), path, kMostUrls);
  bool sound = !items.empty();
  if (!sound) refuse(section, "urls", "names none; write [http://HOST:PORT/PATH, ...]");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool secret = may_hold_secret(items[i]->text);
    const auto text = reading.scalar(*items[i], path + "[" + std::to_string(i) + "]", secret);
    if (!text) return false;
    auto url = parse_one_of_several(text->text);
    std::string why;
    if (const auto* refusal = std::get_if<Refusal>(&url)) {
      why = refusal->text;
    } else {
      why = beside(std::get<HttpUrl>(url), http.urls);
    }
    if (why.empty()) {
      http.urls.push_back(std::move(std::get<HttpUrl>(url)));
      continue;
    }
    reading.wrong(*text, why);
    sound = false;
  }
  if (sound) static_cast<HttpUrl&>(http) = http.urls.front();
  return sound;
}

bool decode_one(Section& section, HttpTarget& http) {
  const auto parse = [](const Scalar& s) { return parse_url_template(s.text); };
  const Node* url = section.find("url");
  const bool secret = url != nullptr && may_hold_secret(url->text);
  UrlTemplate where;
  const bool sound = section.require("url", "write url: http://HOST:PORT/PATH") &&
                     section.read("url", where, parse, secret);
  static_cast<HttpUrl&>(http) = std::move(where.url);
  http.host_template = std::move(where.host);
  http.path_template = std::move(where.path);
  return sound;
}

Parsed<std::string> parse_host_pattern(const Scalar& scalar) {
  std::string_view name = scalar.text;
  if (name == "*") return scalar.text;
  if (name.starts_with("*.")) name.remove_prefix(2);
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
  };
  const bool sound = !name.empty() && name.front() != '.' && name.back() != '.' &&
                     name.find("..") == name.npos && std::all_of(name.begin(), name.end(), fits);
  if (sound) return scalar.text;
  return Refusal{"is no host; write billing.example, *.billing.example or * (in small letters)"};
}

void decode_allowed(Section& section, HttpTarget& http) {
  const std::string path = section.path_of("allow_hosts");
  const auto items = list_items(section.reading(), section.find("allow_hosts"), path, kMostHosts);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto text = section.reading().scalar(*items[i], path + "[" + std::to_string(i) + "]");
    if (!text) continue;
    auto pattern = parse_host_pattern(*text);
    if (const auto* refusal = std::get_if<Refusal>(&pattern)) {
      section.reading().wrong(*text, refusal->text);
    } else {
      http.allow_hosts.push_back(std::get<std::string>(pattern));
    }
  }
  section.read_boolean("allow_private", http.allow_private);
}

void decode_slash(Section& section, HttpTarget& http) {
  section.read_boolean("allow_slash", http.allow_slash);
  if (section.has("allow_slash") && http.path_template.empty()) {
    refuse(section, "allow_slash",
           "means nothing where the URL's path is written out; leave it out");
  }
}

}  // namespace

bool decode_http_urls(Section& section, HttpTarget& http) {
  const bool several = section.has("urls");
  if (several && section.has("url")) refuse(section, "urls", "stands beside url; keep one of them");
  const bool sound = several ? decode_several(section, http) : decode_one(section, http);
  section.read("balance", http.balance, one_of<Balance>({"round_robin", "key"}));
  if (section.has("balance") && !several) {
    refuse(section, "balance", "means nothing for a single url; write urls, or leave it out");
  }
  decode_allowed(section, http);
  if (!sound) return false;
  decode_slash(section, http);
  if (http.host_template.empty()) {
    for (const std::string_view name : {"allow_hosts", "allow_private"}) {
      if (!section.has(name)) continue;
      refuse(section, name, "means nothing where the URL's host is written out; leave it out");
    }
  } else if (http.allow_hosts.empty()) {
    refuse(section, "url",
           "takes its host from the record; write allow_hosts with the names that may be called");
  } else if (!http.allow_private && (section.has("proxy") || section.has("proxy_file"))) {
    refuse(section, "url",
           "takes its host from the record, and by a proxy private addresses cannot be told; write "
           "allow_private: true, or leave out the proxy");
  }
  return sound;
}

}  // namespace einlass::config
