// Signatures as Standard Webhooks wants them, by which a receiver knows who sent a request and that
// nobody has changed it.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/http/client/target_options.h"
#include "net/secret.h"

namespace einlass::http {

// What is wrong with a key, in words that do not have it; empty: nothing.
std::string signing_key_trouble(std::string_view key);

// One key: `whsec_` and the base64 of 24 to 64 bytes signs by HMAC-SHA256 (v1); `whsk_` and the
// base64 of a private ed25519 key of 32 bytes, or of that and the public one, signs by it (v1a).
class SigningKey {
 public:
  // REQUIRES: signing_key_trouble(key) is empty.
  explicit SigningKey(std::string_view key);

  // "v1,BASE64" or "v1a,BASE64".
  std::string sign(std::string_view content) const;

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };

  std::string bytes_;
  std::unique_ptr<EVP_PKEY, Free> private_key_;  // Null: HMAC.
};

// REQUIRES: used by one thread.
class WebhookSigner {
 public:
  // Throws std::runtime_error if a secret is none.
  explicit WebhookSigner(const SignOptions& options);

  // What webhook-signature is to be for one request: one signature, or two with a space between
  // while the previous key is still good. Lives until the next call.
  std::string_view sign(std::string_view id, std::string_view seconds, std::string_view body);

  // Reads files again that have changed.
  void look();

  // Why what a file now holds is not used; empty if it is.
  const std::string& trouble() const {
    return secret_.trouble().empty() ? previous_.trouble() : secret_.trouble();
  }

 private:
  void make_keys();

  net::Secret secret_, previous_;
  std::unique_ptr<SigningKey> key_, previous_key_;  // The second is null where there is one only.
  std::string content_, signatures_;
};

}  // namespace einlass::http
