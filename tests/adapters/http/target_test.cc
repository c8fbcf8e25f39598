// The client against servers that do what real ones do, good and bad.
#include "adapters/http/target/target.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <mutex>
#include <set>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

TEST(Target, every_status_ends_as_its_outcome_on_one_connection) {
  const std::vector<unsigned> statuses = {200, 201, 204, 299, 301, 304, 400, 404, 408, 409,
                                          422, 425, 429, 451, 500, 502, 503, 504, 599};
  ScriptedServer server([&](Peer& peer) {
    for (const unsigned status : statuses) {
      peer.read_request();
      peer.write("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 0\r\n\r\n");
    }
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  for (const unsigned status : statuses) {
    Outcome expected = Outcome::refused;
    if (status < 300) expected = Outcome::accepted;
    if (status == 408 || status == 425 || status == 429 || status >= 500) expected = Outcome::retry;
    const auto ended = world.deliver();
    EXPECT_EQ(ended.outcome, expected) << status;
    EXPECT_EQ(ended.record, (core::RecordId{world.sent, 1}));
    EXPECT_EQ(ended.attempt, core::Attempt{world.sent + 100});
    EXPECT_EQ(world.trouble(),
              expected == Outcome::accepted ? "" : "status " + std::to_string(status));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Target, what_arrives_is_what_was_sent) {
  std::string seen;
  ScriptedServer server([&](Peer& peer) {
    seen = peer.read_request();
    peer.write(kNoContent);
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  world.options.headers = {{"X-Source", "einlass"}};
  world.deliver("bytes\0\r\n\xff", {{"Kafka-Topic", "results"}});
  EXPECT_EQ(seen, "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                      "\r\nX-Source: einlass\r\nContent-Type: application/octet-stream\r\n"
                      "Content-Length: 5\r\nKafka-Topic: results\r\n\r\nbytes");
}

TEST(Target, bodies_empty_and_large) {
  std::atomic<std::size_t> body = 1;
  ScriptedServer server([&](Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      body = request.size() - request.find("\r\n\r\n") - 4;
      peer.write(kNoContent);
    }
  });
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver("").outcome, Outcome::accepted);
  EXPECT_EQ(body, 0u);
  const std::string large(5 * 1024 * 1024, 'x');
  EXPECT_EQ(world.deliver(large).outcome, Outcome::accepted);
  EXPECT_EQ(body, large.size());
  EXPECT_EQ(world.deliver("{}").outcome, Outcome::accepted);
  EXPECT_EQ(body, 2u);
  EXPECT_EQ(server.connections(), 1);
}

TEST(Target, opens_as_many_connections_as_it_needs_and_uses_the_last_one_again) {
  std::atomic<int> waiting = 0;
  std::mutex mutex;
  std::set<int> later;  // Which connections carried the requests after the first 8.
  ScriptedServer server([&](Peer& peer) {
    peer.read_request();
    ++waiting;
    while (waiting < 8) std::this_thread::yield();
    peer.write(kNoContent);
    while (!peer.read_request().empty()) {
      const std::lock_guard lock(mutex);
      later.insert(peer.number);
      peer.write(kNoContent);
    }
  });
  TargetWorld world(server.port());
  world.options.max_in_flight = 8;
  for (int i = 0; i < 8; ++i) world.send();
  EXPECT_EQ(world.target().status().in_flight, 8u);
  world.run_until_ended(8);
  EXPECT_EQ(world.target().status().in_flight, 0u);
  EXPECT_EQ(world.target().status().connections, 8u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 8);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(later.size(), 1u);
}

TEST(Target, a_connection_is_not_used_again_where_the_server_will_not) {
  for (const char* answer : {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
                             "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"}) {
    ScriptedServer server([&](Peer& peer) {
      peer.read_request();
      peer.write(answer);
      peer.wait_for_end();
    });
    TargetWorld world(server.port());
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
    EXPECT_EQ(world.target().status().connections, 0u);
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
    EXPECT_EQ(server.connections(), 2) << answer;
  }
}

TEST(Target, an_answer_that_ends_with_the_connection) {
  ScriptedServer server(once_and_end("HTTP/1.1 200 OK\r\n\r\nbye"));
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 2);
}

TEST(Target, answers_in_single_bytes_chunked_and_after_interim_ones) {
  const std::string answer =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  ScriptedServer server([&](Peer& peer) {
    const int on = 1;
    setsockopt(peer.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    while (!peer.read_request().empty()) {
      for (const char& byte : answer) peer.write({&byte, 1});
    }
  });
  TargetWorld world(server.port());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(server.connections(), 1);
}

TEST(Target, a_switch_of_protocols_is_refused) {
  ScriptedServer server(once_and_end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"));
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_EQ(world.target().status().connections, 0u);
}

struct Broken {
  std::string answer;
  std::string trouble;
};

TEST(Target, what_is_no_answer_is_tried_again) {
  const std::vector<Broken> cases = {
      {"SSH-2.0-OpenSSH_9.2p1 Debian\r\n", "answer is not HTTP/1.1"},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
       "answer with too large headers"},
      {"HTTP/1.1 500 Oops\r\nContent-Length: 2000000\r\n\r\nx", "answer too large"},
      {"HTTP/1.1 404 Gone\r\n\r\n" + std::string(1'100'000, 'x'), "answer too large"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
       "connection closed in the middle of the answer"},
      {"", "connection closed without an answer"},
  };
  for (const Broken& broken : cases) {
    ScriptedServer server(once_and_end(broken.answer));
    TargetWorld world(server.port());
    EXPECT_EQ(world.deliver().outcome, Outcome::retry);
    EXPECT_TRUE(world.trouble().starts_with(broken.trouble)) << world.trouble();
    EXPECT_EQ(world.target().status().connections, 0u);
    EXPECT_EQ(world.target().status().in_flight, 0u);
  }
}

const std::vector<std::string> kLongAnswers = {
    "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\nx",
    "HTTP/1.1 202 Accepted\r\n\r\n" + std::string(1'100'000, 'x'),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\nx"};

// It would be delivered again for ever otherwise.
TEST(Target, an_answer_of_2xx_is_accepted_however_long_its_body_is) {
  for (const std::string& answer : kLongAnswers) {
    ScriptedServer server([&](Peer& peer) {
      peer.read_request();
      peer.write(answer);
      peer.wait_for_end();
    });
    TargetWorld world(server.port());
    const auto ended = world.deliver();
    EXPECT_EQ(ended.outcome, Outcome::accepted) << world.trouble();
    EXPECT_EQ(ended.status / 100, 2u);
    EXPECT_EQ(world.target().status().connections, 0u) << "the rest is not waited for";
  }
}

TEST(Target, an_answer_of_2xx_that_is_too_long_is_judged_by_its_status) {
  ScriptedServer server(always(kLongAnswers[0]));
  TargetWorld world(server.port());
  world.options.answers.by_status = {{200, 299, Outcome::refused}};
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_TRUE(world.trouble().starts_with("status 200")) << world.trouble();
}

TEST(Target, an_answer_of_2xx_whose_body_decides_has_to_fit) {
  for (const std::string& answer : kLongAnswers) {
    for (const bool batches : {true, false}) {
      ScriptedServer server(once_and_end(answer));
      TargetWorld world(server.port());
      world.options.batches = batches;
      if (!batches) world.options.answers.by_body = {{"/ok", "true", Outcome::accepted}};
      EXPECT_EQ(world.deliver().outcome, Outcome::retry);
      EXPECT_TRUE(world.trouble().starts_with("answer too large")) << world.trouble();
    }
  }
}

TEST(Target, retry_after_holds_the_target_only_where_the_record_is_tried_again) {
  const std::string wait = "Retry-After: 7\r\nContent-Length: 0\r\n\r\n";
  const std::vector<std::pair<std::string, std::optional<Duration>>> cases = {
      {"HTTP/1.1 429 Slow\r\n" + wait, Duration::seconds(7)},
      {"HTTP/1.1 503 Busy\r\n" + wait, Duration::seconds(7)},
      {"HTTP/1.1 500 Oops\r\n" + wait, Duration::seconds(7)},
      {"HTTP/1.1 503 Busy\r\nRetry-After: later\r\nContent-Length: 0\r\n\r\n", std::nullopt},
      {"HTTP/1.1 503 Busy\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
       "Retry-After: Sun, 06 Nov 1994 08:49:57 GMT\r\nContent-Length: 0\r\n\r\n",
       Duration::seconds(20)},
      {"HTTP/1.1 503 Busy\r\nRetry-After: Sun, 06 Nov 1994 08:49:57 GMT\r\n"
       "Content-Length: 0\r\n\r\n",
       Duration{}},
      {"HTTP/1.1 404 Gone\r\n" + wait, std::nullopt},
      {"HTTP/1.1 200 OK\r\n" + wait, std::nullopt},
  };
  ScriptedServer server([&](Peer& peer) {
    for (const auto& [answer, expected] : cases) {
      peer.read_request();
      peer.write(answer);
    }
    peer.wait_for_end();
  });
  TargetWorld world(server.port());
  for (const auto& [answer, expected] : cases) {
    EXPECT_EQ(world.deliver().hold_target, expected) << answer;
  }
}

TEST(Target, tells_of_a_change_and_not_of_each_attempt) {
  ScriptedServer server([](Peer& peer) {
    for (int i = 0; !peer.read_request().empty(); ++i) {
      const bool ok = i < 2 || i >= 6;
      peer.write(ok ? kNoContent : "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    }
  });
  TargetWorld world(server.port());
  for (int i = 0; i < 9; ++i) world.deliver();
  ASSERT_EQ(world.notices.size(), 2u);
  EXPECT_EQ(world.notices[0].what, "target_failing");
  EXPECT_EQ(world.notices[0].detail, "attempts at billing fail: status 503");
  EXPECT_EQ(world.notices[1].what, "target_ok");
}

TEST(Target, tells_of_each_connection_at_debug) {
  ScriptedServer server([](Peer& peer) {
    for (int i = 0; i < 2 && !peer.read_request().empty(); ++i) {
      peer.write(i == 0 ? kNoContent : "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    }
  });
  TargetWorld world(server.port());
  for (int i = 0; i < 3; ++i) world.deliver();
  const std::string peer = "127.0.0.1:" + std::to_string(server.port()) + ": ";
  ASSERT_EQ(world.steps.size(), 3u);
  EXPECT_EQ(world.steps[0].what, "connection_open");
  EXPECT_EQ(world.steps[0].detail, "target billing: a connection is open");
  EXPECT_EQ(world.steps[0].example, peer + "HTTP/1.1");
  EXPECT_EQ(world.steps[1].what, "connection_closed");
  EXPECT_EQ(world.steps[1].example, peer + "an answer was its last");
  EXPECT_EQ(world.steps[2].detail, world.steps[0].detail) << "the same for all: it is counted";
}

TEST(Target, says_at_debug_why_a_connection_came_to_nothing) {
  std::uint16_t port = 0;
  ::close(listen_on_free_port(port));
  TargetWorld world(port);
  world.deliver();
  ASSERT_EQ(world.steps.size(), 1u);
  EXPECT_EQ(world.steps[0].what, "connection_closed");
  EXPECT_NE(world.steps[0].example.find("connection refused"), std::string::npos)
      << world.steps[0].example;
}

TEST(Target, a_target_that_does_now_this_and_now_that_is_not_told_each_time) {
  ScriptedServer server([](Peer& peer) {
    for (int i = 0; !peer.read_request().empty(); ++i) {
      peer.write(i % 2 == 0 ? kNoContent : "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    }
  });
  TargetWorld world(server.port());
  for (int i = 0; i < 40; ++i) world.deliver();
  EXPECT_EQ(world.notices.size(), 2u);
}

TEST(Target, names_are_looked_up_and_all_addresses_tried) {
  ScriptedServer server(always(std::string(kNoContent)));  // Only on 127.0.0.1, not on ::1.
  TargetWorld world(server.port());
  world.options.host = "localhost";
  for (int i = 0; i < 4; ++i) world.send();
  EXPECT_EQ(world.target().status().in_flight, 4u);
  world.run_until_ended(4);
  EXPECT_EQ(world.trouble(), "");
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
}

TEST(Target, a_name_that_does_not_exist_is_a_failed_attempt_for_all_that_wait) {
  TargetWorld world(8080);
  world.options.host = "no-such-host.invalid";
  world.send();
  world.send();
  world.run_until_ended(2);
  EXPECT_EQ(world.ended(0).outcome, Outcome::retry);
  EXPECT_EQ(world.ended(1).outcome, Outcome::retry);
  EXPECT_NE(world.trouble().find("(no-such-host.invalid)"), std::string::npos) << world.trouble();
}

TEST(Target, nothing_is_heard_of_it_once_it_is_gone) {
  std::atomic<bool> gone = false;
  std::atomic<int> answered = 0;
  ScriptedServer server([&](Peer& peer) {
    peer.read_request();
    if (peer.number == 1) peer.write(kNoContent);
    while (!gone) std::this_thread::yield();
    peer.write(kNoContent);
    ++answered;
  });
  TargetWorld world(server.port());
  world.options.timeout = Duration::millis(20);
  world.deliver();
  for (int i = 0; i < 3; ++i) world.send();  // One is sent, two connect.
  world.destroy_target();
  world.options.host = "localhost";
  world.send();  // Goes through a lookup.
  world.destroy_target();
  gone = true;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
  world.run_until([&] { return answered > 0 && std::chrono::steady_clock::now() > until; });
  EXPECT_EQ(world.events.size(), 1u);
}

TEST(Target, many_requests_through_few_connections) {
  ScriptedServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  TargetWorld world(server.port());
  world.options.max_in_flight = 4;
  std::uint32_t started = 0;
  const std::uint32_t all = 2000;
  world.run_until([&] {
    while (started < all && started < world.events.size() + 4) {
      world.send();
      ++started;
    }
    return world.events.size() == all;
  });
  std::set<std::uint32_t> slots;
  for (std::size_t i = 0; i < world.events.size(); ++i) {
    EXPECT_EQ(world.ended(i).outcome, Outcome::accepted);
    slots.insert(world.ended(i).record.slot);
  }
  EXPECT_EQ(slots.size(), all);
  EXPECT_LE(server.connections(), 4);
}

}  // namespace
}  // namespace einlass::http::testing
