// HTTP/2 with the servers that people run: nginx, nghttpx and nghttpd.
#include <gtest/gtest.h>

#include <fstream>

#include "adapters/http/certificates.h"
#include "adapters/http/real_server.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// By what each says that it listens.
constexpr std::string_view kNginxListens = "event method";
constexpr std::string_view kNghttpdListens = "listen 127.0.0.1";

struct RealWorld : TargetWorld {
  explicit RealWorld(std::uint16_t port, Http2 http2) : TargetWorld(port) {
    options.http2 = http2;
    options.timeout = Duration::seconds(30);
  }

  void deliver_all() {
    for (const std::size_t size : {0, 1, 1024, 900 * 1024}) {
      EXPECT_EQ(deliver(std::string(size, 'x')).outcome, Outcome::accepted) << trouble();
    }
    const std::string body(1024, 'x');
    const std::size_t all = events.size() + 2'000;
    run_until([&] {
      while (sent < all && sent < events.size() + 64) send(body);
      return events.size() == all;
    });
    for (std::size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(ended(i).outcome, Outcome::accepted) << i << ": " << trouble();
    }
    EXPECT_EQ(target().status().connections, 1u);
  }
};

class Http2Servers : public ::testing::Test {
 protected:
  // The conversation ends with a GOAWAY after every `requests`.
  std::string nginx_config(std::uint16_t port, int requests) const {
    const std::string path = certificates.file("nginx.conf");
    std::ofstream(path) << "daemon off; master_process off; error_log stderr notice;\n"
                        << "pid " << certificates.file("nginx.pid") << ";\n"
                        << "events {}\nhttp {\n access_log off;\n client_max_body_size 10m;\n"
                        << " client_body_temp_path " << certificates.file("bodies") << ";\n"
                        << " keepalive_requests " << requests << ";\n server {\n"
                        << "  listen 127.0.0.1:" << port << " ssl http2;\n"
                        << "  ssl_certificate " << certificates.file("good.pem") << ";\n"
                        << "  ssl_certificate_key " << certificates.file("good.key") << ";\n"
                        << "  location / { return 204; }\n }\n}\n";
    return path;
  }

  Certificates certificates;
};

TEST_F(Http2Servers, nginx_by_alpn) {
  const std::uint16_t port = free_port();
  const RealServer nginx({"nginx", "-c", nginx_config(port, 1'000'000)}, kNginxListens);
  RealWorld world(port, Http2::always);
  world.options.tls = true;
  world.options.certificates.ca_file = certificates.file("ca.pem");
  world.deliver_all();
}

TEST_F(Http2Servers, nginx_that_leaves_after_every_hundred_requests) {
  const std::uint16_t port = free_port();
  const RealServer nginx({"nginx", "-c", nginx_config(port, 100)}, kNginxListens);
  RealWorld world(port, Http2::automatic);
  world.options.tls = true;
  world.options.certificates.ca_file = certificates.file("ca.pem");
  world.deliver_all();
}

TEST_F(Http2Servers, nghttpd_in_the_clear_and_by_alpn) {
  std::ofstream(certificates.file("callback")) << "ok";
  const std::string folder = certificates.file("");
  const std::uint16_t clear = free_port();
  const RealServer in_the_clear(
      {"nghttpd", "-v", "--no-tls", "-a", "127.0.0.1", "-d", folder, std::to_string(clear)},
      kNghttpdListens);
  RealWorld(clear, Http2::always).deliver_all();

  const std::uint16_t port = free_port();
  const RealServer by_alpn({"nghttpd", "-v", "-a", "127.0.0.1", "-d", folder, std::to_string(port),
                            certificates.file("good.key"), certificates.file("good.pem")},
                           kNghttpdListens);
  RealWorld world(port, Http2::automatic);
  world.options.tls = true;
  world.options.certificates.ca_file = certificates.file("ca.pem");
  world.deliver_all();
}

TEST_F(Http2Servers, nghttpx_before_a_server_that_speaks_http_1_1) {
  ScriptedServer server([](Peer& peer) {
    std::string seen;  // nghttpx writes names in lower case, and sends bodies in chunks or whole.
    while (true) {
      const std::size_t head = seen.find("\r\n\r\n");
      if (head == std::string::npos) {
        const std::string more = peer.read_some();
        if (more.empty()) return;
        seen += more;
        continue;
      }
      const std::size_t at = seen.find("content-length: ");
      std::size_t left = head + 4 + (at < head ? std::stoul(seen.substr(at + 16)) : 0);
      while (seen.size() < left) seen += peer.read_some();
      seen.erase(0, left);
      peer.write(kNoContent);
    }
  });
  const std::uint16_t port = free_port();
  const RealServer nghttpx(
      {"nghttpx", "--conf=/dev/null", "--workers=1", "--accesslog-file=/dev/null",
       "-f127.0.0.1," + std::to_string(port) + ";no-tls",
       "-b127.0.0.1," + std::to_string(server.port())},
      "Listening on 127.0.0.1");
  RealWorld world(port, Http2::always);
  world.deliver_all();
  world.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
