#include "net/encoding.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"

namespace einlass::net {
namespace {

unsigned char* writable(char* at) { return reinterpret_cast<unsigned char*>(at); }

const unsigned char* readable(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

void append_base64(std::string& to, std::string_view bytes) {
  const std::size_t at = to.size();
  to.resize(at + (bytes.size() + 2) / 3 * 4);  // OpenSSL's NUL falls on the string's own.
  EVP_EncodeBlock(writable(to.data() + at), readable(bytes), static_cast<int>(bytes.size()));
}

std::string base64(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

std::string base64url(std::string_view bytes) {
  std::string text = base64(bytes);
  text.resize(text.find_last_not_of('=') + 1);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  // OpenSSL itself passes over blanks, and takes a = within the text for a letter.
  const auto is_letter_of_it = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '/';
  };
  const std::string_view letters = text.substr(0, text.size() - padding);
  if (!std::ranges::all_of(letters, is_letter_of_it)) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(writable(bytes.data()), readable(text), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace einlass::net
