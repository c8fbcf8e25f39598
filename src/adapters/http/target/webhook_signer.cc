#include "adapters/http/target/webhook_signer.h"

#include <array>
#include <new>
#include <optional>
#include <stdexcept>

#include "net/digest.h"
#include "net/encoding.h"
#include "units/check.h"

namespace einlass::http {
namespace {

constexpr std::string_view kShared = "whsec_";
constexpr std::string_view kPrivate = "whsk_";
constexpr std::size_t kEd25519Bytes = 32;

bool is_private(std::string_view key) { return key.starts_with(kPrivate); }

std::optional<std::string> bytes_of(std::string_view key) {
  if (key.starts_with(kShared)) return net::base64_decoded(key.substr(kShared.size()));
  if (is_private(key)) return net::base64_decoded(key.substr(kPrivate.size()));
  return std::nullopt;
}

std::string ed25519(EVP_PKEY* key, std::string_view content) {
  std::array<unsigned char, 64> signature;
  std::size_t size = signature.size();
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  if (context == nullptr) throw std::bad_alloc();
  const bool made =
      EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key) == 1 &&
      EVP_DigestSign(context, signature.data(), &size,
                     reinterpret_cast<const unsigned char*>(content.data()), content.size()) == 1;
  EVP_MD_CTX_free(context);
  CHECK(made);
  return std::string(signature.begin(), signature.end());
}

}  // namespace

std::string signing_key_trouble(std::string_view key) {
  if (!key.starts_with(kShared) && !is_private(key)) {
    return "it is no key of Standard Webhooks, which begins with whsec_ or whsk_";
  }
  const auto bytes = bytes_of(key);
  if (!bytes) return "what stands behind its first part is not base64";
  if (is_private(key)) {
    const bool fits = bytes->size() == kEd25519Bytes || bytes->size() == 2 * kEd25519Bytes;
    return fits ? "" : "an ed25519 key has 32 bytes, or 64 with the public one";
  }
  return bytes->size() >= 24 && bytes->size() <= 64 ? "" : "it must have 24 to 64 bytes";
}

SigningKey::SigningKey(std::string_view key) : bytes_{bytes_of(key).value_or(std::string())} {
  if (!is_private(key)) return;
  private_key_.reset(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(bytes_.data()),
      kEd25519Bytes));
  CHECK(private_key_ != nullptr);
}

std::string SigningKey::sign(std::string_view content) const {
  if (private_key_) return "v1a," + net::base64(ed25519(private_key_.get(), content));
  return "v1," + net::base64(net::hmac_sha256(bytes_, content));
}

WebhookSigner::WebhookSigner(const SignOptions& options)
    : secret_{options.secret, signing_key_trouble},
      previous_{options.previous_secret, signing_key_trouble} {
  for (const net::Secret* secret : {&secret_, &previous_}) {
    if (secret->value().empty() && secret == &previous_) continue;
    const std::string trouble = signing_key_trouble(secret->value());
    if (!trouble.empty()) throw std::runtime_error("the signing secret: " + trouble);
  }
  make_keys();
}

void WebhookSigner::make_keys() {
  key_ = std::make_unique<SigningKey>(secret_.value());
  if (!previous_.value().empty()) previous_key_ = std::make_unique<SigningKey>(previous_.value());
}

void WebhookSigner::look() {
  const bool changed = secret_.look();
  if (previous_.look() || changed) make_keys();
}

std::string_view WebhookSigner::sign(std::string_view id, std::string_view seconds,
                                     std::string_view body) {
  content_.assign(id).append(".").append(seconds).append(".").append(body);
  signatures_ = key_->sign(content_);
  if (previous_key_) signatures_ += " " + previous_key_->sign(content_);
  return signatures_;
}

}  // namespace einlass::http
