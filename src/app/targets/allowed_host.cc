#include "app/targets/allowed_host.h"

#include <algorithm>

#include "text/ascii.h"

namespace einlass::app {
namespace {

// RFC 1035, section 2.3.4.
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestName = 253;

bool is_label(std::string_view label) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; };
  return !label.empty() && label.size() <= kLongestLabel &&
         std::all_of(label.begin(), label.end(), fits);
}

bool has(std::string_view pattern, std::string_view host) {
  if (pattern == "*") return true;
  if (!pattern.starts_with("*.")) return pattern == host;
  const std::string_view below = pattern.substr(1);
  return host.size() > below.size() && host.ends_with(below);
}

}  // namespace

bool is_host_name(std::string_view text) {
  if (text.size() > kLongestName) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_allowed_host(std::string_view host, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return has(pattern, host); });
}

}  // namespace einlass::app
