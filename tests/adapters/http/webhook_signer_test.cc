#include "adapters/http/target/webhook_signer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "adapters/http/target_world.h"
#include "adapters/temporary_directory.h"

namespace einlass::http::testing {
namespace {

// The example of the Standard Webhooks specification and of its libraries.
constexpr const char* kShared = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
// RFC 8032, section 7.1, test 1: the private key, and what it signs an empty text with.
constexpr const char* kPrivate = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";

TEST(WebhookSigner, hmac_as_the_libraries_do_it) {
  WebhookSigner signer({.secret = {kShared, ""}, .previous_secret = {}});
  EXPECT_EQ(signer.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSigner, ed25519_as_the_rfc_does_it) {
  EXPECT_EQ(SigningKey(kPrivate).sign(""),
            "v1a,5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjn"
            "oQCw==");
}

TEST(WebhookSigner, two_keys_sign_while_receivers_change_over) {
  WebhookSigner both({.secret = {kPrivate, ""}, .previous_secret = {kShared, ""}});
  const std::string signatures(both.sign("id", "1", "body"));
  EXPECT_TRUE(signatures.starts_with("v1a,")) << signatures;
  const std::size_t blank = signatures.find(" v1,");
  ASSERT_NE(blank, std::string::npos) << signatures;
  WebhookSigner old({.secret = {kShared, ""}, .previous_secret = {}});
  EXPECT_EQ(signatures.substr(blank + 1), old.sign("id", "1", "body"));
}

TEST(WebhookSigner, what_is_no_key_is_refused_without_showing_it) {
  for (const std::string key : {"hunter2", "whsec_", "whsec_a", "whsec_!!!!",
                                "whsec_aHVudGVyMg==", "whsk_aHVudGVyMg==", "whpk_aHVudGVyMg=="}) {
    try {
      WebhookSigner({.secret = {key, ""}, .previous_secret = {}});
      FAIL() << key;
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("the signing secret: "));
      EXPECT_EQ(std::string(error.what()).find("aHV"), std::string::npos) << error.what();
    }
  }
}

TEST(WebhookSigner, keys_are_renewed_in_their_files) {
  const adapters::testing::TemporaryDirectory directory;
  const std::string now = directory.file("now"), old = directory.file("old");
  const auto write = [](const std::string& path, const std::string& text) {
    std::ofstream(path + ".new") << text << '\n';
    std::filesystem::rename(path + ".new", path);
  };
  write(now, kShared);
  write(old, kShared);
  WebhookSigner signer({.secret = {kShared, now}, .previous_secret = {kShared, old}});
  const std::string one(
      WebhookSigner({.secret = {kShared, ""}, .previous_secret = {}}).sign("id", "1", "body"));
  EXPECT_EQ(signer.sign("id", "1", "body"), one + " " + one);
  write(now, kPrivate);
  signer.look();
  const std::string other(
      WebhookSigner({.secret = {kPrivate, ""}, .previous_secret = {}}).sign("id", "1", "body"));
  EXPECT_EQ(signer.sign("id", "1", "body"), other + " " + one);
  EXPECT_EQ(signer.trouble(), "");
  // What is no key changes nothing, and is told without it.
  write(old, "hunter2");
  signer.look();
  EXPECT_EQ(signer.sign("id", "1", "body"), other + " " + one);
  EXPECT_NE(signer.trouble().find(old), std::string::npos) << signer.trouble();
  EXPECT_EQ(signer.trouble().find("hunter2"), std::string::npos);
  write(old, kPrivate);
  signer.look();
  EXPECT_EQ(signer.sign("id", "1", "body"), other + " " + other);
  EXPECT_EQ(signer.trouble(), "");
}

TEST(WebhookSigner, each_attempt_is_signed_anew_under_the_same_id) {
  std::vector<std::string> requests;
  ScriptedServer server([&](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      requests.push_back(request);
      peer.write(kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.sign.secret.value = kShared;
  world.deliver("{}");
  world.deliver("{}");
  world.destroy_target();
  ASSERT_EQ(requests.size(), 2u);
  for (const std::string& request : requests) {
    EXPECT_NE(request.find("\r\nwebhook-id: results-3-7\r\nwebhook-timestamp: "), std::string::npos)
        << request;
    EXPECT_NE(request.find("\r\nwebhook-signature: v1,"), std::string::npos) << request;
  }
}

}  // namespace
}  // namespace einlass::http::testing
