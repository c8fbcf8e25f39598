// Names that nobody can look up, in the way of Redis.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <string_view>

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
  if (node == nullptr || node != std::string_view("hangs.test")) {
    return real(node, service, hints, result);
  }
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

}  // namespace
}  // namespace einlass::redis::testing
