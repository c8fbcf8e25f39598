// The client against servers that are slow, silent, or gone.
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <mutex>
#include <set>

#include "adapters/http/target/target.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

TEST(TargetTrouble, no_answer_ends_at_the_timeout_and_the_next_attempt_works) {
  ScriptedServer server([](Peer& peer) {
    peer.read_request();
    if (peer.number == 1) return peer.wait_for_end();
    if (peer.number == 2) peer.write("HTTP/1.1 200 OK\r\nContent-");
    if (peer.number == 2) return peer.wait_for_end();
    peer.write(kNoContent);
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  world.options.timeout = Duration::millis(60);
  for (int i = 0; i < 2; ++i) {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(world.deliver().outcome, Outcome::retry);
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(60));
    EXPECT_EQ(world.trouble(),
              "no answer within 60ms (127.0.0.1:" + std::to_string(server.port()) + ")");
  }
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.trouble(), "");
  EXPECT_EQ(world.events.size(), 3u);
}

// So many files may be open while it lives.
class MostOpenFiles {
 public:
  explicit MostOpenFiles(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{most, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~MostOpenFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  MostOpenFiles(const MostOpenFiles&) = delete;
  MostOpenFiles& operator=(const MostOpenFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(TargetTrouble, that_no_file_may_be_opened_is_no_attempt_of_a_record) {
  ScriptedServer server(always(std::string(kNoContent)));
  TargetWorld world(server.port());
  world.target();
  {
    const MostOpenFiles none(0);
    const core::DeliveryEnded ended = world.deliver();
    EXPECT_EQ(ended.outcome, Outcome::retry);
    EXPECT_FALSE(ended.counts);
    EXPECT_EQ(world.trouble(), "no socket to connect with: too many open files (127.0.0.1:" +
                                   std::to_string(server.port()) + ")");
    EXPECT_EQ(world.target().status().unusable, world.trouble());
  }
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  EXPECT_EQ(world.target().status().unusable, "");
}

TEST(TargetTrouble, each_attempt_has_its_own_deadline) {
  ScriptedServer server([](Peer& peer) {
    peer.read_request();
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  world.options.timeout = Duration::millis(80);
  const auto start = std::chrono::steady_clock::now();
  world.send();
  world.run_until(
      [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(40); });
  world.send();
  world.run_until_ended(1);
  EXPECT_EQ(world.target().status().in_flight, 1u);
  world.run_until_ended(2);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(120));
  EXPECT_EQ(world.ended(0).record.slot, 1u);
  EXPECT_EQ(world.ended(1).record.slot, 2u);
}

TEST(TargetTrouble, an_answered_attempt_has_no_deadline_any_more) {
  ScriptedServer server(always(std::string(kNoContent)));
  TargetWorld world(server.port());
  world.options.timeout = Duration::millis(500);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
  world.run_until([&] { return std::chrono::steady_clock::now() > later; });
  EXPECT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.target().status().connections, 1u);
}

TEST(TargetTrouble, a_server_that_does_not_read_runs_into_the_timeout) {
  std::atomic<bool> over = false;
  ScriptedServer server([&](Peer&) {
    while (!over) std::this_thread::yield();
  });
  TargetWorld world(server.port());
  world.options.timeout = Duration::millis(100);
  EXPECT_EQ(world.deliver(std::string(32 * 1024 * 1024, 'x')).outcome, Outcome::retry);
  EXPECT_TRUE(world.trouble().starts_with("no answer within 100ms")) << world.trouble();
  over = true;
}

TEST(TargetTrouble, an_answer_before_the_whole_request_is_sent_counts) {
  std::atomic<bool> over = false;
  ScriptedServer server([&](Peer& peer) {
    peer.read_some();
    peer.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
    while (!over) std::this_thread::yield();
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver(std::string(32 * 1024 * 1024, 'x')).outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(), "status 413");
  EXPECT_EQ(world.target().status().connections, 0u);
  over = true;
}

TEST(TargetTrouble, a_refused_connection_is_tried_again) {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  TargetWorld world(port);
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), "connection refused (127.0.0.1:" + std::to_string(port) + ")");
}

TEST(TargetTrouble, a_reset_in_the_middle_is_tried_again) {
  ScriptedServer server([](Peer& peer) {
    peer.read_request();
    if (peer.number == 1) return peer.reset();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    peer.reset();
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_NE(world.trouble().find("connection reset by peer"), std::string::npos) << world.trouble();
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.events.size(), 2u);
}

TEST(TargetTrouble, a_server_that_hangs_up_on_an_idle_connection_is_noticed) {
  ScriptedServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kNoContent);
    if (peer.number == 1) return peer.close();
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  world.run_until([&] { return world.target().status().connections == 0; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 2);
}

// The request is already on its way when the hang-up arrives: nobody knows whether it was
// processed, so it is a failed attempt and not silently sent again. A large one is still being
// written when the reset comes, and that must not end the process either.
TEST(TargetTrouble, losing_the_race_against_a_hang_up_is_a_failed_attempt) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{32 * 1024 * 1024}}) {
    std::atomic<bool> closed = false;
    std::atomic<int> requests = 0;
    ScriptedServer server([&](Peer& peer) {
      peer.read_request();
      ++requests;
      peer.write(kNoContent);
      if (peer.number == 1) {
        peer.close();
        closed = true;
        return;
      }
      peer.wait_for_end();
    });
    TargetWorld world(server.port());
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
    while (!closed) std::this_thread::yield();  // The loop does not run: it cannot know.
    EXPECT_EQ(world.deliver(std::string(size, 'x')).outcome, Outcome::retry);
    EXPECT_EQ(requests, 1);
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  }
}

TEST(TargetTrouble, words_that_nobody_asked_for_close_an_idle_connection) {
  std::atomic<bool> speak = false;
  ScriptedServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kNoContent);
    while (!speak) std::this_thread::yield();
    peer.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.target().status().connections, 1u);
  speak = true;
  world.run_until([&] { return world.target().status().connections == 0; });
  EXPECT_EQ(world.events.size(), 1u);
}

TEST(TargetTrouble, whoever_goes_on_talking_while_nothing_is_asked_is_left) {
  std::atomic<bool> left = false;
  ScriptedServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kNoContent);
    while (peer.write(std::string(64 * 1024, 'x'))) {
    }
    left = true;
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  world.run_until([&] { return world.target().status().connections == 0 && left; });
  EXPECT_EQ(world.events.size(), 1u);
}

}  // namespace
}  // namespace einlass::http::testing
