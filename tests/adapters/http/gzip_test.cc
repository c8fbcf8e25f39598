// Compressed bodies, opened again by zlib's own reader and, end to end, by Python's.
#include "adapters/http/target/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

TEST(Gzip, step_by_step_it_makes_the_same) {
  Gzip gzip;
  std::string text;
  while (text.size() < 300'000) text += "{\"order\": " + std::to_string(text.size()) + "}";
  for (const std::string& body : {text, noise(300'000), std::string(100, 'a'), text}) {
    const std::string at_once(gzip.compress(body));
    std::size_t taken = 0, steps = 0;
    for (gzip.begin(body); !gzip.done(); ++steps) taken += gzip.go_on(64 * 1024);
    ASSERT_EQ(gzip.made().empty(), at_once.empty());
    if (at_once.empty()) continue;
    EXPECT_EQ(steps, 5u);
    EXPECT_EQ(taken, body.size());
    EXPECT_EQ(opened(gzip.made()), body);
  }
}

// Large bodies take milliseconds each: between two of them everybody else has a turn.
TEST(Gzip, one_turn_of_the_loop_compresses_part_of_a_large_body) {
  constexpr std::size_t kAll = 8;
  const std::string body = noise(50'000) + std::string(50'000, 'x');
  std::atomic<std::size_t> right = 0;
  ScriptedServer server([&](Peer& peer) {
    const std::string one = peer.read_request();
    if (one.empty()) return;
    const bool whole = opened(std::string_view(one).substr(one.find("\r\n\r\n") + 4)) == body;
    right += whole && one.find("\r\nX-Own: 1\r\n") != std::string::npos;
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  world.options.gzip = true;
  const auto begun = [&] { return world.target().status().connections; };
  for (std::size_t i = 0; i < kAll; ++i) world.send(std::string(body), {{"X-Own", "1"}});
  EXPECT_EQ(begun(), 0u);
  EXPECT_EQ(world.target().status().in_flight, kAll);
  std::size_t turns = 0, most = 0;
  for (std::size_t before = begun(); before < kAll; before = begun(), ++turns) {
    ASSERT_EQ(world.io.run_one_for(std::chrono::seconds(10)), 1u);
    most = std::max(most, begun() - before);
    world.take_ready();
    EXPECT_EQ(world.ready, begun() == kAll ? 1u : 0u);
  }
  EXPECT_EQ(most, 1u) << "two in one turn";
  EXPECT_GE(turns, kAll * body.size() / (64 * 1024));
  world.run_until([&] { return right == kAll; });
  world.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
