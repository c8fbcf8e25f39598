// Names that nobody can look up, in the way of Redis.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string_view>
#include <utility>

#include "adapters/redis/gate_side.h"
#include "adapters/redis/redis_server.h"

namespace {

std::atomic<bool> hangs{false};

using GetAddrInfo = int(const char*, const char*, const addrinfo*, addrinfo**);

}  // namespace

// Instead of the C library's, for the whole test program.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static auto* const real = reinterpret_cast<GetAddrInfo*>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const std::string_view name = node == nullptr ? "" : node;
  if (name == "two.test") {  // As if it had been asked for both.
    const int first = real("127.0.0.2", service, hints, result);
    return first != 0 ? first : real("127.0.0.1", service, hints, &(*result)->ai_next);
  }
  if (name != "hangs.test") return real(node, service, hints, result);
  hangs.wait(true);
  return EAI_AGAIN;
}

namespace einlass::redis::testing {
namespace {

TEST(RedisLookup, an_address_is_connected_to_while_the_lookup_of_another_name_hangs) {
  RedisServer server;
  GateSide side(options_for(server.port()));
  ASSERT_TRUE(side.until_up());
  boost::asio::ip::tcp::resolver other(side.io);
  hangs = true;
  bool ended = false;
  other.async_resolve("hangs.test", "1", [&](const auto&, const auto&) { ended = true; });
  server.kill();
  EXPECT_TRUE(side.until([&] { return !side.store->status().up; }));
  server.start();
  EXPECT_TRUE(side.until([&] { return side.store->status().up; }));
  EXPECT_FALSE(ended);
  hangs = false;
  hangs.notify_all();
  EXPECT_TRUE(side.until([&] { return ended; }));
}

// Takes no connection, and refuses none.
class SilentAddress {
 public:
  SilentAddress(const char* address, std::uint16_t port) {
    address_.sin_family = AF_INET;
    address_.sin_port = htons(port);
    inet_pton(AF_INET, address, &address_.sin_addr);
    EXPECT_EQ(bind(fds_[0], where(), sizeof(address_)), 0);
    EXPECT_EQ(listen(fds_[0], 0), 0);
    for (std::size_t i = 1; i < fds_.size(); ++i) connect(fds_[i], where(), sizeof(address_));
  }
  ~SilentAddress() {
    for (const int fd : fds_) close(fd);
  }
  SilentAddress(const SilentAddress&) = delete;
  SilentAddress& operator=(const SilentAddress&) = delete;

 private:
  static int open() { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }
  const sockaddr* where() const { return reinterpret_cast<const sockaddr*>(&address_); }

  std::array<int, 4> fds_ = {open(), open(), open(), open()};  // It, and those that fill its queue.
  sockaddr_in address_{};
};

// A name has the address of a server that is gone before that of the one that is there.
TEST(RedisLookup, an_address_that_is_silent_keeps_nobody_from_the_next_one) {
  RedisServer server;
  const SilentAddress silent("127.0.0.2", server.port());
  StoreOptions options = options_for(server.port());
  options.host = "two.test";
  GateSide side(std::move(options));
  EXPECT_TRUE(side.until_up());
}

}  // namespace
}  // namespace einlass::redis::testing
