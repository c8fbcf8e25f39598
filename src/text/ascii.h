// Text at the level of its bytes. Letters and digits are those of ASCII, whatever the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace einlass {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text);

// The same in any case of letters, as the names of headers and hosts are.
bool same_name(std::string_view a, std::string_view b);

// A control character other than the tab: no header may hold one (RFC 9110, section 5.5).
bool has_control(std::string_view text);

// Visible characters of ASCII only, so no blank.
bool is_visible(std::string_view text);

// The name of a header or a method (RFC 9110, section 5.6.2).
bool is_token(std::string_view text);

// Each byte as two digits, a to f small.
void append_hex(std::string& to, std::string_view bytes);

// One byte as two digits, A to F large, behind a mark: %3F, or \x3F.
void append_escaped(std::string& to, std::string_view mark, char byte);

// What is unreserved (RFC 3986, section 2.3), or one of `also`, as it is; the rest as %XX.
void append_percent_encoded(std::string& to, std::string_view text, std::string_view also = {});

// The byte that %XX stands for at the start of the text; none if no %XX stands there.
std::optional<char> percent_byte(std::string_view text);

// "host:8080", "[::1]:8080".
std::string host_and_port(std::string_view host, std::uint16_t port);

// "::1" of "[::1]".
std::string_view without_brackets(std::string_view host);

}  // namespace einlass
