// A request for which a server ends the connection that all share: who is to blame is found, and
// what it costs the others is no attempt of theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "adapters/http/http2_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

constexpr std::uint32_t kCulprit = 3;

// As nginx with a head that is too large: it ends the connection, with all that is on it.
bool answers(Http2Peer& peer, const Http2Request& request) {
  if (request["x-large"] == "(none)") {
    peer.answer(request.stream, "204");
    return true;
  }
  peer.go_away(request.stream, NGHTTP2_ENHANCE_YOUR_CALM);
  return false;
}

struct CulpritWorld : Http2World {
  using Http2World::Http2World;

  core::DeliveryEnded& end_of(std::uint32_t record) { return ends[record]; }

  // One attempt of each of these records, under way together.
  void attempt(const std::vector<std::uint32_t>& records) {
    const RequestHeader large{"x-large", "yes"};
    for (const std::uint32_t record : records) {
      Request request{};
      request.record = {record, 1};
      request.attempt = {++attempts};
      request.id = "results-3-7";
      if (record == kCulprit) request.headers = {&large, 1};
      target().send(request);
    }
    const std::size_t before = events.size();
    run_until_ended(before + records.size());
    for (std::size_t i = before; i < events.size(); ++i) ends[ended(i).record.slot] = ended(i);
  }

  std::map<std::uint32_t, core::DeliveryEnded> ends;
  std::uint32_t attempts = 0;
};

TEST(Http2Culprit, each_is_tried_alone_and_only_the_one_to_blame_is_refused) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    // The first connection has them all before it looks at any.
    std::vector<Http2Request> first;
    for (int i = 0; peer.peer().number == 1 && i < 5; ++i) first.push_back(peer.next_request());
    for (const Http2Request& request : first) {
      if (request["x-large"] != "(none)") answers(peer, request);
    }
    if (!first.empty()) return;
    for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
      if (!answers(peer, one)) return;
    }
  }));
  CulpritWorld world(server);
  world.attempt({1, 2, kCulprit, 4, 5});
  for (const auto& [record, end] : world.ends) {
    EXPECT_EQ(end.outcome, Outcome::retry) << record;
    EXPECT_FALSE(end.counts) << record;
    EXPECT_FALSE(end.asked) << record;
  }
  world.attempt({1, 2, kCulprit, 4, 5});
  for (const auto& [record, end] : world.ends) {
    EXPECT_EQ(end.outcome, record == kCulprit ? Outcome::retry : Outcome::accepted) << record;
  }
  EXPECT_TRUE(world.end_of(kCulprit).counts && world.end_of(kCulprit).answered);
  EXPECT_EQ(server.connections(), 6);
  world.attempt({7});  // While others are answered, it has ended another one.
  EXPECT_EQ(world.end_of(7).outcome, Outcome::accepted);
  world.attempt({kCulprit});
  EXPECT_EQ(world.end_of(kCulprit).outcome, Outcome::refused) << world.trouble();
}

// A server may fall over one request: all that are under way with it lose nothing but time.
TEST(Http2Culprit, a_connection_that_is_cut_costs_no_attempt_where_it_had_several) {
  enum class Ends { closes, resets, breaks_http2 };
  for (const Ends how : {Ends::closes, Ends::resets, Ends::breaks_http2}) {
    const auto finish = [how](Http2Peer& peer) {
      if (how == Ends::resets) return peer.peer().reset();
      if (how == Ends::breaks_http2) peer.peer().write(frame(NGHTTP2_SETTINGS, 0, 0, "12345"));
      peer.peer().end();
    };
    ScriptedServer server(in_http2([&](Http2Peer& peer) {
      for (int i = 0; peer.peer().number == 1 && i < 5; ++i) peer.next_request();
      if (peer.peer().number == 1) return finish(peer);
      for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
        if (one["x-large"] != "(none)") return peer.peer().end();
        peer.answer(one.stream, "204");
      }
    }));
    CulpritWorld world(server);
    world.attempt({1, 2, kCulprit, 4, 5});
    for (const auto& [record, end] : world.ends) {
      EXPECT_EQ(end.outcome, Outcome::retry) << record;
      EXPECT_FALSE(end.counts) << record;
    }
    // It is alone from now on, and never refused: the server has not said that it is to blame.
    for (int i = 0; i < 3; ++i) {
      world.attempt({1, 2, kCulprit, 4, 5});
      for (const auto& [record, end] : world.ends) {
        EXPECT_EQ(end.outcome, record == kCulprit ? Outcome::retry : Outcome::accepted) << record;
      }
      EXPECT_TRUE(world.end_of(kCulprit).counts);
    }
  }
}

struct BatchCulpritWorld : CulpritWorld {
  using CulpritWorld::CulpritWorld;

  // One attempt of each of these requests with several records, under way together.
  void attempt_batches(const std::vector<std::vector<std::uint32_t>>& requests) {
    const RequestHeader large{"x-large", "yes"};
    const std::size_t before = events.size();
    std::size_t records = 0;
    for (const std::vector<std::uint32_t>& slots : requests) {
      std::vector<BatchMember> members;
      for (const std::uint32_t slot : slots) members.push_back({{slot, 1}, {++attempts}, ""});
      Request request{};
      request.record = members.front().record;
      request.attempt = members.front().attempt;
      request.id = "results-3-7";
      request.members = members;
      if (std::ranges::count(slots, kCulprit) > 0) request.headers = {&large, 1};
      target().send(request);
      records += slots.size();
    }
    run_until_ended(before + records);
    for (std::size_t i = before; i < events.size(); ++i) ends[ended(i).record.slot] = ended(i);
  }
};

TEST(Http2Culprit, a_batch_goes_alone_and_then_in_halves_until_the_one_to_blame_is_found) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    // The first connection has both before it looks at any.
    std::vector<Http2Request> first;
    for (int i = 0; peer.peer().number == 1 && i < 2; ++i) first.push_back(peer.next_request());
    for (const Http2Request& request : first) {
      if (request["x-large"] != "(none)") answers(peer, request);
    }
    if (!first.empty()) return;
    for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
      if (!answers(peer, one)) return;
    }
  }));
  BatchCulpritWorld world(server);
  world.options.batches = true;
  world.attempt_batches({{1, 2, kCulprit, 4}, {5, 6}});
  for (const auto& [record, end] : world.ends) {
    EXPECT_EQ(end.outcome, Outcome::retry) << record;
    EXPECT_FALSE(end.counts || end.asked || end.over_one) << record;
  }
  world.attempt_batches({{1, 2, kCulprit, 4}, {5, 6}});
  EXPECT_EQ(world.end_of(5).outcome, Outcome::accepted);
  for (const std::uint32_t record : {1u, 2u, kCulprit, 4u}) {
    EXPECT_EQ(world.end_of(record).outcome, Outcome::retry);
    EXPECT_TRUE(world.end_of(record).over_one && world.end_of(record).answered) << record;
    EXPECT_EQ(world.end_of(record).together, 4u);
  }
  world.attempt_batches({{7}, {1, 2}, {8, kCulprit, 4}});
  for (const std::uint32_t record : {1, 2, 7}) {
    EXPECT_EQ(world.end_of(record).outcome, Outcome::accepted) << record;
  }
  EXPECT_TRUE(world.end_of(8).over_one);
  // Twice alone, and once more where it was faster than all the others.
  world.attempt_batches({{4}, {8}, {kCulprit}});
  EXPECT_EQ(world.end_of(4).outcome, Outcome::accepted);
  EXPECT_EQ(world.end_of(8).outcome, Outcome::accepted);
  for (int i = 0; i < 2 && world.end_of(kCulprit).outcome == Outcome::retry; ++i) {
    world.attempt_batches({{9}});
    world.attempt_batches({{kCulprit}});
  }
  EXPECT_EQ(world.end_of(kCulprit).outcome, Outcome::refused) << world.trouble();
  EXPECT_EQ(world.end_of(9).outcome, Outcome::accepted);
}

// The server of one connection after the other.
void serve(Http2Peer& peer) {
  for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
    if (!answers(peer, one)) return;
  }
}

// It went alone for the sake of one of them, and may have been ended for another's.
TEST(Http2Culprit, all_of_a_batch_that_ended_its_own_connection_go_alone) {
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    auto one = peer.next_request();
    if (peer.peer().number < 3) return peer.go_away(one.stream, NGHTTP2_INTERNAL_ERROR);
    for (; one.stream != 0; one = peer.next_request()) peer.answer(one.stream, "204");
  }));
  BatchCulpritWorld world(server);
  world.options.batches = true;
  world.attempt_batches({{1, 2}});
  world.attempt_batches({{1, 4}});
  world.attempt_batches({{4}});
  world.attempt_batches({{5}});
  EXPECT_EQ(server.connections(), 4) << "the third was for 4 alone";
}

TEST(Http2Culprit, who_has_ended_the_connection_of_one_server_is_alone_at_the_others_too) {
  ScriptedServer first(in_http2(serve));
  ScriptedServer second(in_http2(serve));
  CulpritWorld world(first);
  world.options.others = {{.host = "127.0.0.1", .port = second.port(), .path = "/"}};
  world.attempt({1, 2});  // Both connections stand.
  world.attempt({kCulprit});
  EXPECT_FALSE(world.end_of(kCulprit).counts);
  // Twice alone, and once more where it was faster than all the others.
  for (int i = 0; i < 3 && world.end_of(kCulprit).outcome == Outcome::retry; ++i) {
    world.attempt({4, 5, kCulprit, 6, 7});
    for (const std::uint32_t other : {4, 5, 6, 7}) {
      EXPECT_EQ(world.end_of(other).outcome, Outcome::accepted) << world.trouble();
    }
  }
  EXPECT_EQ(world.end_of(kCulprit).outcome, Outcome::refused) << world.trouble();
}

TEST(Http2Culprit, where_nobody_is_answered_nobody_is_to_blame) {
  ScriptedServer server(in_http2([](Http2Peer& peer) {
    const auto stream = peer.next_request().stream;
    peer.go_away(stream, NGHTTP2_ENHANCE_YOUR_CALM);
  }));
  CulpritWorld world(server);
  for (int i = 0; i < 6; ++i) {
    world.attempt({1, 2});
    for (const auto& [record, end] : world.ends) EXPECT_EQ(end.outcome, Outcome::retry) << i;
  }
}

TEST(Http2Culprit, who_was_answered_alone_goes_with_the_others_again) {
  std::atomic<int> on_second{0};
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    auto one = peer.next_request();
    if (peer.peer().number == 1) return peer.go_away(one.stream, NGHTTP2_INTERNAL_ERROR);
    for (; one.stream != 0; one = peer.next_request()) {
      if (peer.peer().number == 3) ++on_second;
      peer.answer(one.stream, "204");
    }
  }));
  CulpritWorld world(server);
  world.attempt({1});
  world.attempt({1});
  world.attempt({1, 2});
  EXPECT_EQ(server.connections(), 3);
  EXPECT_EQ(on_second, 2);
}

TEST(Http2Culprit, a_head_that_the_server_says_it_does_not_take_is_not_sent) {
  std::atomic<int> requests{0};
  const Http2Peer::Settings settings{{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 4'000}};
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
          ++requests;
          peer.answer(one.stream, "204");
        }
      },
      settings));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);  // And the settings have come.
  const std::string large(4'000, 'x');
  const auto refused = world.deliver("{}", {{"x-large", large}});
  EXPECT_EQ(refused.outcome, Outcome::refused);
  EXPECT_TRUE(refused.too_large);
  EXPECT_FALSE(refused.asked);
  EXPECT_NE(world.trouble().find("and the server takes 4000"), std::string::npos)
      << world.trouble();
  EXPECT_EQ(world.deliver("{}", {{"x-large", large.substr(500)}}).outcome, Outcome::accepted);
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(server.connections(), 1);
}

// Its fields are small enough for the tables in which both sides remember fields: what only one of
// them has, the other would read wrong from then on.
TEST(Http2Culprit, a_head_that_is_not_sent_leaves_nothing_behind) {
  std::mutex mutex;
  std::vector<std::string> read;
  const Http2Peer::Settings settings{{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 1'000}};
  ScriptedServer server(in_http2(
      [&](Http2Peer& peer) {
        for (auto one = peer.next_request(); one.stream != 0; one = peer.next_request()) {
          {
            const std::lock_guard lock(mutex);
            read.push_back(one["x-i"]);
          }
          peer.answer(one.stream, "204");
        }
      },
      settings));
  Http2World world(server);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  for (int i = 0; i < 4; ++i) {
    const std::string large(1'200 + static_cast<std::size_t>(i), 'x');
    EXPECT_TRUE(world.deliver("{}", {{"x-large", large}, {"x-i", std::to_string(i)}}).too_large);
    EXPECT_EQ(world.deliver("{}", {{"x-i", std::to_string(i)}}).outcome, Outcome::accepted)
        << world.trouble();
  }
  EXPECT_EQ(server.connections(), 1);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(read, (std::vector<std::string>{"(none)", "0", "1", "2", "3"}));
}

}  // namespace
}  // namespace einlass::http::testing
