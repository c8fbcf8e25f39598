// A server on a thread of its own, and clients that block.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "adapters/http/scripted_server.h"
#include "adapters/http/server/server.h"

namespace einlass::http::testing {

inline constexpr char kGet[] = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
inline constexpr char kLast[] = "GET /z HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

// The server on its own thread, so that clients may block.
class ServerWorld {
 public:
  explicit ServerWorld(ServerOptions wanted = {}, Server::Handler handler = echo) {
    const int probe = listen_on_free_port(wanted.port);
    ::close(probe);
    server_ = std::make_unique<Server>(io_, wanted, std::move(handler));
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ServerWorld() {
    io_.stop();
    thread_.join();
  }

  std::uint16_t port() const { return server_->port(); }

  // On the server's thread, as whoever writes an open body must; waits for it.
  bool write(OpenBody& body, const std::string& text) {
    std::promise<bool> written;
    boost::asio::post(io_, [&] { written.set_value(body.write(text)); });
    return written.get_future().get();
  }

  void end(OpenBody& body) {
    std::promise<void> ended;
    boost::asio::post(io_, [&] {
      body.end();
      ended.set_value();
    });
    ended.get_future().get();
  }

  static ServerResponse echo(const ServerRequest& request) {
    ServerResponse response;
    response.content_type = "";
    response.body = std::string(request.method) + " " + std::string(request.path) + " " +
                    std::string(request.query) + " " + std::string(request.body);
    return response;
  }

 private:
  boost::asio::io_context io_{1};
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

inline int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

// A blocking client: a Peer that called.
struct Client : Peer {
  explicit Client(std::uint16_t port) : Peer(connect_to(port), 0, nullptr) {}

  std::string read_all() {
    std::string all;
    for (std::string more; !(more = read_some()).empty();) all += more;
    return all;
  }
};

// Everything the server says to `text` until it hangs up.
inline std::string talk(std::uint16_t port, const std::string& text) {
  Client client(port);
  client.write(text);
  return client.read_all();
}

}  // namespace einlass::http::testing
