#include "config/address.h"

#include <algorithm>

#include "config/names.h"
#include "units/text.h"

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
};

// It has a place for what the record says, as {key}.
bool has_place(std::string_view text) { return text.find_first_of("{}") != text.npos; }

// Long, and of letters and digits, as tokens are; words of a route are seldom both.
bool looks_like_token(std::string_view segment) {
  constexpr std::size_t kShortest = 16;
  return segment.size() >= kShortest && !has_place(segment) &&
         std::any_of(segment.begin(), segment.end(), is_digit) &&
         std::any_of(segment.begin(), segment.end(), is_letter);
}

// Whatever its name, a long one is an identity more often than a setting.
bool is_secret_value(std::string_view name, std::string_view value) {
  constexpr std::size_t kShortest = 8;
  return may_be_secret(name) || (value.size() >= kShortest && !has_place(value));
}

// "/segment/segment"
void add_path(std::vector<Piece>& pieces, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    pieces.push_back({path.substr(0, 1)});
    pieces.push_back({path.substr(1, end - 1), looks_like_token(path.substr(1, end - 1))});
    path.remove_prefix(end);
  }
}

// "?name=value&name=value"
void add_query(std::vector<Piece>& pieces, std::string_view query) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&', 1));
    query.remove_prefix(pair.size());
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    pieces.push_back({name});
    if (equals == pair.npos) continue;
    pieces.push_back({pair.substr(equals, 1)});
    const std::string_view value = pair.substr(equals + 1);
    pieces.push_back({value, is_secret_value(name.substr(1), value)});
  }
}

// All of it, in order.
std::vector<Piece> pieces_of(std::string_view url) {
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::size_t scheme_end = url.find("://");
  const std::size_t host = scheme_end < query ? scheme_end + 3 : 0;
  const std::size_t path = std::min(url.find('/', host), query);
  std::vector<Piece> pieces = {{url.substr(0, path)}};
  add_path(pieces, url.substr(path, query - path));
  add_query(pieces, url.substr(query));
  return pieces;
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
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c > 32 && c < 127; });
  const std::size_t scheme_end = text.find("://");
  if (!visible || scheme_end == text.npos) return std::nullopt;
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
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto byte = percent_byte(text.substr(i));
      if (!byte || static_cast<unsigned char>(*byte) < 0x20) return std::nullopt;
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
  return url.find_first_of("@?") != url.npos || !secrets_in(url).empty();
}

std::vector<std::string> secrets_in(std::string_view url) {
  std::vector<std::string> secrets;
  for (const Piece& piece : pieces_of(url)) {
    if (!piece.secret || has_place(piece.text)) continue;
    secrets.push_back(percent_decoded(piece.text).value_or(std::string(piece.text)));
  }
  return secrets;
}

std::string without_secrets(std::string_view url) {
  std::string result;
  for (const Piece& piece : pieces_of(url)) result += piece.secret ? "***" : piece.text;
  return result;
}

}  // namespace einlass::config
