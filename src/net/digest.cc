#include "net/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "text/ascii.h"
#include "units/check.h"

namespace einlass::net {
namespace {

template <std::size_t size>
std::array<unsigned char, size> digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, size> made{};
  CHECK(EVP_Digest(bytes.data(), bytes.size(), made.data(), nullptr, algorithm, nullptr) == 1);
  return made;
}

template <std::size_t size>
std::string hex(const std::array<unsigned char, size>& bytes) {
  std::string text;
  append_hex(text, {reinterpret_cast<const char*>(bytes.data()), size});
  return text;
}

}  // namespace

std::array<unsigned char, 32> sha256(std::string_view bytes) {
  return digest<32>(EVP_sha256(), bytes);
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string made(32, '\0');
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
             reinterpret_cast<unsigned char*>(made.data()), nullptr) != nullptr);
  return made;
}

std::string sha1_hex(std::string_view bytes) { return hex(digest<20>(EVP_sha1(), bytes)); }

std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

std::uint64_t sha256_front(std::string_view bytes) {
  const auto digest = sha256(bytes);
  std::uint64_t front = 0;
  for (int i = 0; i < 8; ++i) front = front << 8 | digest[static_cast<std::size_t>(i)];
  return front;
}

}  // namespace einlass::net
