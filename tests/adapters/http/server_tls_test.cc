// The server over TLS: against OpenSSL's own client, against our client, and against those who mean
// no good.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/http/certificates.h"
#include "adapters/http/client/fetch.h"
#include "adapters/http/server/server.h"
#include "adapters/http/server_world.h"

namespace einlass::http::testing {
namespace {

// OpenSSL's client, which believes only what the authority has signed.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const std::string& ca, int version = TLS1_3_VERSION)
      : context_(SSL_CTX_new(TLS_client_method())), fd_(connect_to(port)) {
    const timeval limit{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    SSL_CTX_set_max_proto_version(context_.get(), version);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    EXPECT_EQ(SSL_CTX_load_verify_file(context_.get(), ca.c_str()), 1);
    ssl_ = SSL_new(context_.get());
    SSL_set_fd(ssl_, fd_);
    connected = SSL_connect(ssl_) == 1;
  }
  ~TlsClient() {
    SSL_free(ssl_);
    ::close(fd_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  void write(const std::string& text) {
    EXPECT_EQ(SSL_write(ssl_, text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }

  // Each text is a TLS record, and all of them come to the server at once.
  void write_together(const std::vector<std::string>& texts) {
    cork(1);
    for (const std::string& text : texts) write(text);
    cork(0);
  }

  std::string read_some() {
    char bytes[64 * 1024];
    const int n = SSL_read(ssl_, bytes, sizeof(bytes));
    return n > 0 ? std::string(bytes, static_cast<std::size_t>(n)) : std::string();
  }
  std::string read_all() {
    std::string all;
    for (std::string more; !(more = read_some()).empty();) all += more;
    return all;
  }

  // The server has said that it writes no more, and did not only hang up.
  bool was_told_goodbye() const { return (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN) != 0; }

  std::string serial() const {
    X509* const shown = SSL_get1_peer_certificate(ssl_);
    if (shown == nullptr) return "";
    BIGNUM* const number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(shown), nullptr);
    char* const text = BN_bn2hex(number);
    const std::string result = text;
    OPENSSL_free(text);
    BN_free(number);
    X509_free(shown);
    return result;
  }

  bool connected = false;

 private:
  void cork(int on) { setsockopt(fd_, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)); }

  std::unique_ptr<SSL_CTX, FreeSslContext> context_;
  int fd_;
  SSL* ssl_ = nullptr;
};

class TlsServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { certificates = new Certificates; }
  static void TearDownTestSuite() {
    delete certificates;
    certificates = nullptr;
  }

  static CertificateFiles pair(const std::string& name) {
    return {certificates->file(name + ".pem"), certificates->file(name + ".key")};
  }
  static ServerOptions options(const std::string& name = "good") {
    ServerOptions made;
    made.certificate = pair(name);
    return made;
  }
  static std::string ca() { return certificates->file("ca.pem"); }
  static void copy(const std::string& from, const std::string& to) {
    const std::string next = certificates->file(to + ".next");
    std::filesystem::copy_file(certificates->file(from), next);
    std::filesystem::rename(next, certificates->file(to));
  }

  static Certificates* certificates;
};

Certificates* TlsServer::certificates = nullptr;

TEST_F(TlsServer, answers_in_order_and_says_goodbye) {
  ServerWorld world(options());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(world.port(), ca(), version);
    ASSERT_TRUE(client.connected);
    client.write(std::string(kGet) + kLast);
    EXPECT_EQ(client.read_all(),
              "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nGET /a  "
              "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /z  ");
    EXPECT_TRUE(client.was_told_goodbye());
  }
}

// What TLS has taken from the socket already, the socket does not tell of again.
TEST_F(TlsServer, requests_that_come_at_once_in_records_of_their_own_are_all_answered) {
  boost::asio::io_context io{1};
  std::vector<Server::Respond> waiting;
  Server server(io, options(),
                Server::LaterHandler([&](const ServerRequest&, const Server::Respond& respond) {
                  boost::asio::post(io, [respond] { respond(ServerResponse{}); });
                }));
  std::thread thread([&] { io.run(); });
  {
    TlsClient client(server.port(), ca());
    client.write_together({kGet, kGet, kGet, kGet, kLast});
    const std::string all = client.read_all();
    std::size_t answers = 0;
    for (std::size_t at = 0; (at = all.find("HTTP/1.1 200", at)) != all.npos; ++at) ++answers;
    EXPECT_EQ(answers, 5u);
  }
  io.stop();
  thread.join();
}

TEST_F(TlsServer, a_body_larger_than_a_record_comes_whole) {
  ServerOptions wanted = options();
  wanted.max_body_bytes = 300'000;
  ServerWorld world(wanted);
  TlsClient client(world.port(), ca());
  const std::string body(250'000, 'x');
  client.write(
      "POST /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 250000\r\n\r\n" + body);
  EXPECT_TRUE(client.read_all().ends_with("POST /a  " + body));
}

TEST_F(TlsServer, an_open_body_is_written_on) {
  const auto body = std::make_shared<OpenBody>();
  ServerWorld world(options(), [&](const ServerRequest&) {
    ServerResponse response;
    response.open_body = body;
    return response;
  });
  TlsClient client(world.port(), ca());
  client.write(kGet);
  EXPECT_TRUE(client.read_some().starts_with("HTTP/1.1 200 OK\r\n"));
  for (const std::string text : {"one", "two"}) {
    EXPECT_TRUE(world.write(*body, text));
    EXPECT_EQ(client.read_some(), text);
  }
}

// Nor do they keep the server from others meanwhile.
TEST_F(TlsServer, whoever_does_not_get_through_the_handshake_is_hung_up_on) {
  ServerOptions wanted = options();
  wanted.request_timeout = Duration::millis(300);
  ServerWorld world(wanted);
  Client silent(world.port());
  Client half(world.port());
  half.write(std::string("\x16\x03\x01\x02\x00\x01\x00", 7));  // A ClientHello begins.
  TlsClient good(world.port(), ca());
  good.write(kLast);
  EXPECT_NE(good.read_all(), "");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(half.read_all(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST_F(TlsServer, what_is_no_tls_ends_the_connection_and_nothing_else) {
  ServerWorld world(options());
  for (const std::string text : {kLast, "\n", "\x16\x03\x01\xff\xff garbage", "SSH-2.0-x\r\n"}) {
    EXPECT_EQ(talk(world.port(), text + std::string(100, 'x')).find("HTTP/"), std::string::npos);
  }
  TlsClient good(world.port(), ca());
  good.write(kLast);
  EXPECT_NE(good.read_all(), "");
}

TEST_F(TlsServer, one_connection_too_many_takes_the_place_of_one_that_says_nothing) {
  ServerOptions wanted = options();
  wanted.max_connections = 1;
  ServerWorld world(wanted);
  Client silent(world.port());
  TlsClient good(world.port(), ca());
  good.write(kLast);
  EXPECT_NE(good.read_all(), "");
  EXPECT_EQ(silent.read_all(), "");
}

TEST_F(TlsServer, one_too_many_is_closed_while_all_have_answers_under_way) {
  std::signal(SIGPIPE, SIG_IGN);  // For OpenSSL's client, which writes to a closed connection.
  const auto body = std::make_shared<OpenBody>();
  ServerOptions wanted = options();
  wanted.max_connections = 1;
  ServerWorld world(wanted, [&](const ServerRequest&) {
    ServerResponse response;
    response.open_body = body;
    return response;
  });
  TlsClient first(world.port(), ca());
  first.write(kGet);
  EXPECT_NE(first.read_some(), "");
  EXPECT_FALSE(TlsClient(world.port(), ca()).connected);
}

TEST_F(TlsServer, what_is_renewed_on_disk_is_shown_from_then_on) {
  copy("good.pem", "now.pem");
  copy("good.key", "now.key");
  std::mutex mutex;
  std::vector<std::string> told;
  ServerOptions wanted = options("now");
  wanted.notify = [&](const Notice& notice) {
    const std::scoped_lock lock(mutex);
    told.push_back(notice.what);
  };
  ServerWorld world(wanted);
  TlsClient before(world.port(), ca());
  copy("renewed.pem", "now.pem");
  const std::string old = before.serial();
  EXPECT_EQ(TlsClient(world.port(), ca()).serial(), old) << "its key is still the other's";
  copy("renewed.key", "now.key");
  const std::string renewed = TlsClient(world.port(), ca()).serial();
  EXPECT_NE(renewed, old);
  EXPECT_NE(renewed, "");
  before.write(kLast);
  EXPECT_NE(before.read_all(), "") << "whoever was there stays";
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(told,
            (std::vector<std::string>{"server_certificate_failing", "server_certificate_ok"}));
}

TEST_F(TlsServer, files_that_cannot_be_used_are_named) {
  boost::asio::io_context io(1);
  const auto said = [&](const CertificateFiles& files) -> std::string {
    ServerOptions wanted;
    wanted.certificate = files;
    try {
      const Server server(io, wanted, ServerWorld::echo);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  const CertificateFiles good = pair("good");
  EXPECT_TRUE(said({"/no/such.pem", good.key_file})
                  .starts_with("no certificate can be read from /no/such.pem"));
  EXPECT_TRUE(
      said({good.cert_file, "/no/such.key"}).starts_with("the key in /no/such.key cannot be read"));
  EXPECT_NE(said({good.cert_file, pair("renewed").key_file}).find("or is not that of"),
            std::string::npos);
  EXPECT_NE(said({good.cert_file, pair("of-another-kind").key_file}).find("is not that of"),
            std::string::npos);
  EXPECT_EQ(said(good), "");
}

Fetched fetched(std::uint16_t port, const TlsOptions& certificates) {
  TargetOptions options;
  options.tls = true;
  options.host = "127.0.0.1";
  options.port = port;
  options.certificates = certificates;
  return fetch(options);
}

// Names and dates are the business of those who do not have the file.
TEST_F(TlsServer, a_client_of_ours_believes_the_one_certificate_that_it_was_given) {
  for (const std::string name : {"good", "other-name", "expired"}) {
    ServerWorld world(options(name));
    TlsOptions only;
    only.only_cert_file = pair(name).cert_file;
    EXPECT_EQ(fetched(world.port(), only).status, 200u) << name;
    only.only_cert_file = pair("renewed").cert_file;  // Of the same authority.
    const Fetched refused = fetched(world.port(), only);
    EXPECT_EQ(refused.status, 0u);
    EXPECT_TRUE(refused.trouble.starts_with(
        "certificate refused: it is not the one that is expected (127.0.0.1:"))
        << refused.trouble;
  }
  TlsOptions none;
  none.only_cert_file = "/no/such.pem";
  EXPECT_THROW(fetched(1, none), std::runtime_error);
}

}  // namespace
}  // namespace einlass::http::testing
