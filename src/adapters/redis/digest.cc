#include "adapters/redis/digest.h"

#include <openssl/evp.h>

#include "units/check.h"

namespace einlass::redis {
namespace {

std::string hex_digest(const EVP_MD* algorithm, std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, algorithm, nullptr) == 1);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * size);
  for (unsigned int i = 0; i < size; ++i) {
    hex.push_back(kDigits[digest[i] >> 4]);
    hex.push_back(kDigits[digest[i] & 15]);
  }
  return hex;
}

}  // namespace

std::string sha1_hex(std::string_view bytes) { return hex_digest(EVP_sha1(), bytes); }

std::string sha256_hex(std::string_view bytes) { return hex_digest(EVP_sha256(), bytes); }

}  // namespace einlass::redis
