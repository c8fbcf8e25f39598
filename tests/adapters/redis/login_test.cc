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
  options.login.password = kSecret;
  GateSide side(options);
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

TEST(RedisLogin, AWrongOrMissingPasswordIsToldWithoutIt) {
  RedisServer server({"--requirepass", kSecret});
  auto options = options_for(server.port());
  options.login.password = "wrong-wrong";
  GateSide wrong(options);
  ASSERT_TRUE(wrong.until([&] { return wrong.notice("redis_refused"); }));
  EXPECT_TRUE(wrong.says("WRONGPASS"));
  EXPECT_FALSE(leaks(wrong, "wrong-wrong"));
  EXPECT_FALSE(wrong.store->status().up);

  options.login.password.clear();
  GateSide missing(options);
  ASSERT_TRUE(missing.until([&] { return missing.notice("redis_refused"); }));
  EXPECT_TRUE(missing.says("NOAUTH"));
  ASSERT_EQ(Control(server.port())({"AUTH", kSecret}), "OK");
}

// A password that is renewed on disk counts from the next login on; until then, and where the file
// is gone, the one that was read first.
TEST(RedisLogin, APasswordIsRenewedInItsFile) {
  RedisServer server({"--requirepass", kSecret});
  TemporaryDirectory directory;
  const std::string file = directory.file("password");
  auto options = options_for(server.port());
  options.login = {.username = "", .password = "wrong-wrong", .password_file = file};
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_refused"); }));
  std::ofstream(file) << kSecret << '\n';
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
  EXPECT_FALSE(leaks(side, kSecret));
}

TEST(RedisLogin, APasswordThatNobodyWantsIsTold) {
  RedisServer server;
  auto options = options_for(server.port());
  options.login.password = kSecret;
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
  options.login.username = "gate";
  options.login.password = kSecret;
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

TEST(RedisSocket, AServerIsReachedOverAUnixSocket) {
  TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  RedisServer server({"--unixsocket", path});
  auto options = options_for(0);
  options.host = path;
  GateSide side(options);
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

TEST(RedisSocket, AMissingOneIsToldByItsPath) {
  auto options = options_for(0);
  options.host = "/nowhere/redis.sock";
  GateSide side(options);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  EXPECT_TRUE(side.says("Redis at /nowhere/redis.sock: cannot connect: No such file"))
      << side.notices.back().detail;

  options.host = "/" + std::string(200, 'x');
  GateSide too_long(options);
  ASSERT_TRUE(too_long.until([&] { return too_long.notice("redis_unreachable"); }));
  EXPECT_TRUE(too_long.says("path of the Unix socket is too long"));
}

// An authority and a server's certificate for the name redis.test and the address 127.0.0.1.
struct RedisTls : ::testing::Test {
  TemporaryDirectory directory;
  std::unique_ptr<RedisServer> server;

  void SetUp() override {
    authority("ca");
    authority("other");
    std::ofstream(directory.file("names")) << "subjectAltName=DNS:redis.test,IP:127.0.0.1\n";
    certificate("certificate", "key", "ca", 2);
    start_server("no");
  }

  // `auth_clients`: whether a client must show a certificate of the authority.
  void start_server(const std::string& auth_clients) {
    server = std::make_unique<RedisServer>(std::vector<std::string>{
        "--tls-port", "PORT", "--tls-cert-file", directory.file("certificate"), "--tls-key-file",
        directory.file("key"), "--tls-ca-cert-file", directory.file("ca"), "--tls-auth-clients",
        auth_clients});
  }

  void certificate(const std::string& name, const std::string& key, const std::string& ca,
                   int days) {
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=redis.test "
        "-keyout " +
        directory.file(key) + " -out " + directory.file("request"));
    openssl("x509 -req -days " + std::to_string(days) + " -in " + directory.file("request") +
            " -CA " + directory.file(ca) + " -CAkey " + directory.file(ca + ".key") +
            " -set_serial 1 -extfile " + directory.file("names") + " -out " + directory.file(name));
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
    options.tls_files.ca = directory.file("ca");
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
  unknown.tls_files.ca = directory.file("other");
  expect_refused(unknown, "certificate is not accepted");
  unknown.tls_files.ca.clear();
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
  missing.tls_files.ca = directory.file("missing");
  expect_refused(missing, "no certificates can be read from the CA file");
}

TEST_F(RedisTls, AnExpiredCertificateIsRefusedUntilItIsRenewed) {
  server.reset();
  certificate("certificate", "key", "ca", 0);
  start_server("no");
  GateSide side(options());
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  EXPECT_TRUE(side.says("certificate has expired")) << side.notices.back().detail;
  server->kill();
  certificate("certificate", "key", "ca", 2);
  ASSERT_TRUE(server->start());
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

struct RedisClientCertificate : RedisTls {
  void SetUp() override {
    RedisTls::SetUp();
    server.reset();
    start_server("yes");
  }
  StoreOptions with_certificate(const std::string& name, const std::string& key) {
    StoreOptions result = options();
    result.tls_files.certificate = directory.file(name);
    result.tls_files.key = directory.file(key);
    return result;
  }
};

TEST_F(RedisClientCertificate, IsShown) {
  certificate("client", "client.key", "ca", 2);
  GateSide side(with_certificate("client", "client.key"));
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

TEST_F(RedisClientCertificate, NoneOrOneOfAStrangerIsRefused) {
  expect_refused(options(), "certificate required");
  certificate("stranger", "stranger.key", "other", 2);
  expect_refused(with_certificate("stranger", "stranger.key"), "unknown ca");
}

TEST_F(RedisClientCertificate, WithoutItsKeyItIsTold) {
  certificate("client", "client.key", "ca", 2);
  expect_refused(with_certificate("missing", "client.key"), "no certificate can be read from ");
  expect_refused(with_certificate("client", "missing"), "cannot be read, or is not that of");
  expect_refused(with_certificate("client", "ca.key"), "or is not that of");
}

// The next connection shows what the files hold by then.
TEST_F(RedisClientCertificate, IsRenewedOnDisk) {
  certificate("client", "client.key", "other", 2);
  GateSide side(with_certificate("client", "client.key"));
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  certificate("client", "client.key", "ca", 2);
  EXPECT_TRUE(answers(side, sliding_log("callbacks", 5)));
}

// Takes connections, and leaves what they say unread.
TEST_F(RedisTls, AServerThatNeverShakesHandsIsToldAndTriedAgain) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto silent = options();
  silent.port = free_port();
  address.sin_port = htons(silent.port);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  GateSide side(silent);
  ASSERT_TRUE(side.until([&] { return side.notice("redis_unreachable"); }));
  EXPECT_TRUE(side.says("no connection within")) << side.notices.back().detail;
  close(listener);
}

TEST_F(RedisTls, AServerWithoutTlsIsTold) {
  RedisServer plain;
  auto wrong = options();
  wrong.port = plain.port();
  expect_refused(wrong, "Redis at 127.0.0.1:");
}

}  // namespace
}  // namespace einlass::redis::testing
