// Compressed bodies, opened again by zlib's own reader and, end to end, by Python's.
#include "adapters/http/target/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

std::string opened(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(4 * 1024 * 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::string noise(std::size_t size) {
  std::string bytes;
  std::uint32_t state = 1;
  while (bytes.size() < size)
    bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST(Gzip, what_it_makes_is_shorter_and_the_same_again) {
  Gzip gzip;
  for (const std::size_t size : {128u, 1'000u, 70'000u, 1'000'000u, 200u}) {
    std::string body;
    while (body.size() < size) body += "{\"order\": " + std::to_string(body.size()) + "}";
    const std::string_view made = gzip.compress(body);
    ASSERT_FALSE(made.empty()) << size;
    EXPECT_LT(made.size(), body.size());
    EXPECT_EQ(opened(made), body);
  }
}

TEST(Gzip, leaves_what_would_not_be_shorter) {
  Gzip gzip;
  EXPECT_EQ(gzip.compress(""), "");
  EXPECT_EQ(gzip.compress(std::string(127, 'a')), "");
  EXPECT_EQ(gzip.compress(noise(128)), "");
  EXPECT_EQ(gzip.compress(noise(100'000)), "");
  EXPECT_FALSE(gzip.compress(std::string(1'000, 'a')).empty()) << "the next is none the worse";
}

TEST(Gzip, a_request_says_so_where_it_is_and_only_there) {
  std::vector<std::string> seen;
  ScriptedServer server([&](Peer& peer) {
    for (std::string one; !(one = peer.read_request()).empty();) {
      seen.push_back(one);
      peer.write(kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.gzip = true;
  const std::string body(5'000, 'x');
  EXPECT_EQ(world.deliver(body, {{"X-Own", "1"}}).outcome, core::Outcome::accepted);
  EXPECT_EQ(world.deliver("short", {{"X-Own", "1"}}).outcome, core::Outcome::accepted);
  world.destroy_target();
  ASSERT_EQ(seen.size(), 2u);
  const std::size_t head = seen[0].find("\r\n\r\n") + 4;
  EXPECT_NE(seen[0].find("\r\nContent-Encoding: gzip\r\n"), std::string::npos) << seen[0];
  EXPECT_NE(seen[0].find("\r\nX-Own: 1\r\n"), std::string::npos);
  EXPECT_EQ(opened(std::string_view(seen[0]).substr(head)), body);
  EXPECT_EQ(seen[1].find("Content-Encoding"), std::string::npos);
  EXPECT_TRUE(seen[1].ends_with("\r\n\r\nshort"));
}

}  // namespace
}  // namespace einlass::http::testing
