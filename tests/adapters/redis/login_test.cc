// Passwords, users and certificates.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"

namespace einlass::redis::testing {
namespace {

constexpr char kSecret[] = "correct-horse-battery";

bool leaks(const GateSide& side, std::string_view secret) {
  return side.says(secret) || side.store->status().trouble.find(secret) != std::string::npos;
}

bool answers(GateSide& side, const limits::Limit& limit) {
  const Bucket bucket{&limit, ""};
  side.store->add_line({0}, {&bucket, 1});
  return side.until_up() && side.answer(0, 1) && side.answer(0, 1)->due.size() == 1;
}

TEST(RedisLogin, APasswordIsAccepted) {
  RedisServer server({"--requirepass", kSecret});
  auto options = options_for(server.port());
  options.password = kSecret;
  GateSide side(options);
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

TEST(RedisLogin, AWrongOrMissingPasswordIsToldWithoutIt) {
  RedisServer server({"--requirepass", kSecret});
  auto options = options_for(server.port());
  options.password = "wrong-wrong";
  GateSide wrong(options);
  ASSERT_TRUE(wrong.until([&] { return wrong.notice("redis_refused"); }));
  EXPECT_TRUE(wrong.says("WRONGPASS"));
  EXPECT_FALSE(leaks(wrong, "wrong-wrong"));
  EXPECT_FALSE(wrong.store->status().up);

  options.password.clear();
  GateSide missing(options);
  ASSERT_TRUE(missing.until([&] { return missing.notice("redis_refused"); }));
  EXPECT_TRUE(missing.says("NOAUTH"));
  ASSERT_EQ(Control(server.port())({"AUTH", kSecret}), "OK");
}

TEST(RedisLogin, APasswordThatNobodyWantsIsTold) {
  RedisServer server;
  auto options = options_for(server.port());
  options.password = kSecret;
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_refused"); }));
  EXPECT_TRUE(side.says("remove redis.password"));
  EXPECT_FALSE(leaks(side, kSecret));
}

TEST(RedisLogin, AnAclUserNeedsOnlyItsNamespace) {
  RedisServer server;
  Control control(server.port());
  ASSERT_EQ(control({"ACL", "SETUSER", "gate", "on", std::string(">") + kSecret, "~test:*", "-@all",
                     "+ping", "+eval", "+evalsha", "+time", "+@read", "+@write"}),
            "OK");
  auto options = options_for(server.port());
  options.username = "gate";
  options.password = kSecret;
  GateSide side(options);
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));

  options.name_space = "elsewhere";
  GateSide other(options);
  ASSERT_TRUE(other.until_up());
  const auto limit = sliding_log("callbacks", 5);
  const Bucket bucket{&limit, ""};
  other.store->add_line({0}, {&bucket, 1});
  EXPECT_FALSE(other.answer(0, 1));
  EXPECT_TRUE(other.says("NOPERM"));
  EXPECT_FALSE(leaks(other, kSecret));
}

// An authority and a server's certificate for the name redis.test and the address 127.0.0.1.
struct RedisTls : ::testing::Test {
  TemporaryDirectory directory;
  std::unique_ptr<RedisServer> server;

  void SetUp() override {
    authority("ca");
    authority("other");
    std::ofstream(directory.file("names")) << "subjectAltName=DNS:redis.test,IP:127.0.0.1\n";
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=redis.test "
        "-keyout " +
        directory.file("key") + " -out " + directory.file("request"));
    openssl("x509 -req -days 2 -in " + directory.file("request") + " -CA " + directory.file("ca") +
            " -CAkey " + directory.file("ca.key") + " -set_serial 1 -extfile " +
            directory.file("names") + " -out " + directory.file("certificate"));
    server = std::make_unique<RedisServer>(std::vector<std::string>{
        "--tls-port", "PORT", "--tls-cert-file", directory.file("certificate"), "--tls-key-file",
        directory.file("key"), "--tls-ca-cert-file", directory.file("ca"), "--tls-auth-clients",
        "no"});
  }

  void authority(const std::string& name) {
    openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" +
            name + " -keyout " + directory.file(name + ".key") + " -out " + directory.file(name));
  }
  void openssl(const std::string& arguments) {
    ASSERT_EQ(std::system(("openssl " + arguments + " 2>/dev/null").c_str()), 0) << arguments;
  }

  StoreOptions options() {
    auto options = options_for(server->port());
    options.tls = true;
    options.ca_file = directory.file("ca");
    return options;
  }

  void expect_refused(const StoreOptions& options, std::string_view because) {
    GateSide side(options);
    ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
    EXPECT_TRUE(side.says(because)) << side.notices.back().detail;
    EXPECT_FALSE(side.store->status().up);
  }
};

TEST_F(RedisTls, AVerifiedServerAnswers) {
  GateSide by_address(options());
  EXPECT_TRUE(answers(by_address, sliding_log("callbacks", 5)));
  auto named = options();
  named.server_name = "redis.test";
  GateSide by_name(named);
  EXPECT_TRUE(answers(by_name, sliding_log("callbacks", 5)));
}

TEST_F(RedisTls, ManyCallsInOneFlush) {
  GateSide side(options());
  ASSERT_TRUE(side.until_up());
  const auto limit = sliding_log("callbacks", 5);
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const Bucket bucket{&limit, std::to_string(i)};
    side.store->add_line({i}, {&bucket, 1});
  }
  for (std::uint32_t i = 0; i < 1'000; ++i) side.ask(i, 1);
  side.store->flush();
  ASSERT_TRUE(side.until([&] { return side.count<core::PermitsAnswered>() == 1'000; }));
}

TEST_F(RedisTls, AnUnknownAuthorityIsRefused) {
  auto unknown = options();
  unknown.ca_file = directory.file("other");
  expect_refused(unknown, "certificate is not accepted");
  unknown.ca_file.clear();
  expect_refused(unknown, "certificate is not accepted");
}

TEST_F(RedisTls, ACertificateForAnotherNameIsRefused) {
  auto other = options();
  other.server_name = "other.test";
  expect_refused(other, "hostname mismatch");
  other.server_name = "127.0.0.2";
  expect_refused(other, "IP address mismatch");
}

TEST_F(RedisTls, AnUnreadableAuthorityFileIsTold) {
  auto missing = options();
  missing.ca_file = directory.file("missing");
  expect_refused(missing, "cannot read the certificate authorities");
}

TEST_F(RedisTls, AServerWithoutTlsIsTold) {
  RedisServer plain;
  auto wrong = options();
  wrong.port = plain.port();
  expect_refused(wrong, "Redis at 127.0.0.1:");
}

}  // namespace
}  // namespace einlass::redis::testing
