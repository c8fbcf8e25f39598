#include "config/model/address.h"

#include <algorithm>

#include "config/model/names.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '-' &&
         std::all_of(host.begin(), host.end(), [](char c) {
           return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_';
         });
}

bool is_ipv6(std::string_view host) {
  return host.size() <= 45 && std::count(host.begin(), host.end(), ':') >= 2 &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  const auto port = parse_whole(text, {1, 65535});
  if (refused(port)) return std::nullopt;
  return static_cast<std::uint16_t>(std::get<std::int64_t>(port));
}

// A part of a URL, and whether nobody is to see it.
struct Piece {
  std::string_view text;
  bool secret = false;
  bool is_part = false;           // A segment of the path, or a name or value of the query.
  bool hidden_elsewhere = false;  // Shown, but not where somebody else repeats it.
};

// How long the placeholder, as {key}, is that the text begins with; 0: it begins with none. Two
// braces stand for one.
std::size_t placeholder_size(std::string_view text) {
  if (!text.starts_with('{') || text.starts_with("{{")) return 0;
  return text.find('}') + 1;
}

// The first such character that is in no placeholder; the text's end if there is none.
std::size_t find_own(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  for (std::size_t at = from; at < text.size();) {
    const std::size_t placeholder = placeholder_size(text.substr(at));
    if (placeholder == 0 && wanted.find(text[at]) != wanted.npos) return at;
    at += text.substr(at).starts_with("{{") ? 2 : std::max<std::size_t>(1, placeholder);
  }
  return text.size();
}

// What stands there by itself, between placeholders and braces.
std::vector<std::string_view> own_texts(std::string_view text) {
  std::vector<std::string_view> own;
  while (!text.empty()) {
    const std::string_view before = text.substr(0, text.find_first_of("{}"));
    if (!before.empty()) own.push_back(before);
    text.remove_prefix(before.size());
    const std::size_t brace = text.starts_with("{{") ? 2 : 1;
    text.remove_prefix(std::min(text.size(), std::max(brace, placeholder_size(text))));
  }
  return own;
}

bool is_long(std::string_view text) { return text.size() >= 8; }

// Long, and with a digit, as tokens are; words of a path seldom have one.
bool looks_like_token(std::string_view segment) {
  return std::ranges::any_of(own_texts(segment), [](std::string_view text) {
    return is_long(text) && std::any_of(text.begin(), text.end(), is_digit);
  });
}

// As long as a token: of a word that is repeated by somebody else little is lost.
bool may_be_token(std::string_view segment) {
  return std::ranges::any_of(own_texts(segment), is_long);
}

// Whatever its name, a long one is an identity more often than a setting.
bool is_secret_value(std::string_view name, std::string_view value) {
  const std::vector<std::string_view> own = own_texts(value);
  return may_be_secret(name) || same_name(name, "code") ||
         std::any_of(own.begin(), own.end(), is_long);
}

// "/segment/segment"
void add_path(std::vector<Piece>& pieces, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = find_own(path, "/", 1);
    pieces.push_back({path.substr(0, 1)});
    const std::string_view segment = path.substr(1, end - 1);
    pieces.push_back({segment, looks_like_token(segment), true, may_be_token(segment)});
    path.remove_prefix(end);
  }
}

// "?name=value&name"
void add_query(std::vector<Piece>& pieces, std::string_view query) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, find_own(query, "&", 1));
    query.remove_prefix(pair.size());
    const std::size_t equals = find_own(pair, "=");
    const std::string_view name = pair.substr(1, equals - 1);
    pieces.push_back({pair.substr(0, 1)});
    if (equals == pair.size()) {
      pieces.push_back({name, is_secret_value("", name), true});
      continue;
    }
    pieces.push_back({name, false, true});
    pieces.push_back({pair.substr(equals, 1)});
    const std::string_view value = pair.substr(equals + 1);
    pieces.push_back({value, is_secret_value(name, value), true});
  }
}

// All of it, in order.
std::vector<Piece> pieces_of(std::string_view url) {
  const std::size_t query = find_own(url, "?");
  const std::size_t scheme_end = find_own(url, ":");
  const bool has_scheme = scheme_end < query && url.substr(scheme_end).starts_with("://");
  const std::size_t host = has_scheme ? scheme_end + 3 : 0;
  const std::size_t path = std::min(find_own(url, "/", host), query);
  std::vector<Piece> pieces = {{url.substr(0, path)}};
  add_path(pieces, url.substr(path, query - path));
  add_query(pieces, url.substr(query));
  return pieces;
}

// Without its %XX.
void add_meant(std::string_view text, std::vector<std::string>& all) {
  for (const std::string_view own : own_texts(text)) {
    all.push_back(percent_decoded(own).value_or(std::string(own)));
  }
}

}  // namespace

Parsed<HostPort> parse_host_port(std::string_view text, std::optional<std::uint16_t> default_port) {
  const Refusal not_an_address{default_port ? "is not a host and port; write HOST or HOST:PORT"
                                            : "is not a host and port; write HOST:PORT"};
  if (text.find('/') != text.npos) return not_an_address;
  const bool brackets = text.starts_with('[');
  const std::size_t end = brackets ? text.find(']') : text.find(':');
  if (brackets && end == text.npos) return not_an_address;
  const std::string_view host = brackets ? text.substr(1, end - 1) : text.substr(0, end);
  if (!(brackets ? is_ipv6(host) : is_host(host))) return not_an_address;
  std::string_view rest = text.substr(std::min(text.size(), host.size() + (brackets ? 2 : 0)));
  if (rest.empty() && default_port) return HostPort{std::string(host), *default_port};
  if (!rest.starts_with(':')) return not_an_address;
  if (std::count(rest.begin(), rest.end(), ':') > 1) {
    return Refusal{"has more than one colon; put brackets around an IPv6 address, as [::1]:80"};
  }
  const auto port = port_of(rest.substr(1));
  if (!port) return Refusal{"has no port from 1 to 65535 after its colon"};
  return HostPort{std::string(host), *port};
}

std::string to_text(const HostPort& address) { return host_and_port(address.host, address.port); }

std::optional<Url> split_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  if (!is_visible(text) || scheme_end == text.npos) return std::nullopt;
  Url url;
  url.scheme = text.substr(0, scheme_end);
  text.remove_prefix(scheme_end + 3);
  const auto cut = [&text](char mark) -> std::optional<std::string_view> {
    const std::size_t at = text.find(mark);
    if (at == text.npos) return std::nullopt;
    const std::string_view tail = text.substr(at + 1);
    text = text.substr(0, at);
    return tail;
  };
  url.fragment = cut('#');
  url.query = cut('?');
  const std::size_t slash = std::min(text.find('/'), text.size());
  url.path = text.substr(slash);
  url.address = text.substr(0, slash);
  if (const std::size_t at = url.address.rfind('@'); at != url.address.npos) {
    url.login = url.address.substr(0, at);
    url.address.remove_prefix(at + 1);
  }
  return url;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  auto result = any_percent_decoded(text);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (result && std::ranges::any_of(*result, control)) return std::nullopt;
  return result;
}

std::optional<std::string> any_percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto byte = percent_byte(text.substr(i));
      if (!byte) return std::nullopt;
      c = *byte;
      i += 2;
    }
    result += c;
  }
  return result;
}

std::optional<Login> split_login(std::string_view login) {
  const std::size_t colon = std::min(login.find(':'), login.size());
  const auto username = percent_decoded(login.substr(0, colon));
  const auto password = percent_decoded(login.substr(std::min(colon + 1, login.size())));
  if (!username || !password) return std::nullopt;
  return Login{*username, *password};
}

std::string percent_encoded(std::string_view path) {
  std::string text;
  append_percent_encoded(text, path, "/");
  return text;
}

bool may_hold_secret(std::string_view url) {
  return url.find_first_of("@?") != url.npos || without_secrets(url) != url;
}

std::vector<std::string> secrets_in(std::string_view url) {
  std::vector<std::string> secrets;
  for (const Piece& piece : pieces_of(url)) {
    if (piece.secret || piece.hidden_elsewhere) add_meant(piece.text, secrets);
  }
  return secrets;
}

std::vector<std::string> all_in(std::string_view path) {
  std::vector<std::string> all;
  for (const Piece& piece : pieces_of(path)) {
    if (piece.is_part) add_meant(piece.text, all);
  }
  return all;
}

std::string without_path(std::string_view url) {
  return std::string(pieces_of(url).front().text) + "/***";
}

std::string without_secrets(std::string_view url) {
  std::string result;
  for (const Piece& piece : pieces_of(url)) result += piece.secret ? "***" : piece.text;
  return result;
}

}  // namespace einlass::config
