// A login with tokens of a server: when they are asked for, and what happens while there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "adapters/http/login_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

TEST_F(TargetLogin, a_token_is_asked_for_as_the_standard_says) {
  tokens.answer_by(numbered_tokens("3600"));
  use_oauth2();
  wait_for_token();
  EXPECT_EQ(deliver().outcome, Outcome::accepted);
  EXPECT_EQ(header_of(receiver.requests().at(0), "Authorization"), "Bearer token-1");
  const std::string asked = tokens.requests().at(0);
  EXPECT_TRUE(asked.starts_with("POST /token?x=1 HTTP/1.1\r\n")) << asked;
  EXPECT_EQ(header_of(asked, "Content-Type"), "application/x-www-form-urlencoded");
  // gate%201:s%3Acret, section 2.3.1.
  EXPECT_EQ(header_of(asked, "Authorization"), "Basic Z2F0ZSUyMDE6cyUzQWNyZXQ=");
  EXPECT_TRUE(asked.ends_with("\r\n\r\ngrant_type=client_credentials&scope=deliver%20read"))
      << asked;
  EXPECT_EQ(tokens.requests().size(), 1u);
}

TEST_F(TargetLogin, a_token_is_renewed_before_it_expires) {
  tokens.answer_by(numbered_tokens("2"));
  use_oauth2();
  wait_for_token();
  world.run_until([&] {
    EXPECT_EQ(deliver().outcome, Outcome::accepted);
    return header_of(receiver.requests().back(), "Authorization") == "Bearer token-3";
  });
  for (const auto& request : receiver.requests())
    EXPECT_NE(header_of(request, "Authorization"), "");
}

// Before the token ends, and not when it is too late.
TEST_F(TargetLogin, a_client_secret_that_cannot_be_read_is_told_while_the_token_is_good) {
  const std::string path = ::testing::TempDir() + "einlass-client-secret";
  const auto write = [&](const std::string& text) { replace(path, text); };
  write("s:cret\n");
  tokens.answer_by(numbered_tokens("3600"));
  use_oauth2();
  world.options.login.secret = {"s:cret", path};
  wait_for_token();
  write("th\nree\n");
  world.run_until([&] { return !world.target().status().warning.empty(); });
  EXPECT_NE(world.target().status().warning.find(path + " cannot be used"), std::string::npos);
  ASSERT_FALSE(world.notices.empty());
  EXPECT_EQ(world.notices.back().what, "target_login_failing");
  EXPECT_EQ(deliver().outcome, Outcome::accepted);
  write("s:cret\n");
  world.run_until([&] { return world.target().status().warning.empty(); });
  EXPECT_EQ(world.notices.back().what, "target_login_ok");
}

TEST_F(TargetLogin, while_there_is_no_token_nothing_is_sent) {
  tokens.answer_by([](const std::string&) {
    return json_answer("{\"error\": \"invalid_client\"}", "401 Unauthorized");
  });
  use_oauth2();
  world.target();
  world.run_until([&] { return holds() > 3; });
  const std::string why =
      "no token from 127.0.0.1:" + std::to_string(tokens.port()) + ": status 401, invalid_client";
  EXPECT_EQ(world.target().status().unusable, why);
  ASSERT_FALSE(world.notices.empty());
  EXPECT_EQ(world.notices.back().what, "target_login_failing");
  EXPECT_EQ(world.notices.back().detail, "login at billing: " + why);
  EXPECT_EQ(world.notices.size(), 1u) << "one line, however often it is tried";
  // What was on its way already ends at once, and nothing of it has left.
  EXPECT_EQ(deliver().outcome, Outcome::retry);
  EXPECT_FALSE(ended().back().counts);
  EXPECT_EQ(ended().back().reason, why);
  EXPECT_TRUE(receiver.requests().empty());
  tokens.answer_by(numbered_tokens("3600"));
  wait_for_token();
  EXPECT_EQ(deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.notices.back().what, "target_login_ok");
}

// Its first token is good for a second, and the question for the next one gets no answer.
ScriptedServer::Script one_token_of_a_second(std::atomic<int>& silent) {
  return [&silent](Peer& peer) {
    peer.read_request();
    if (peer.number == 2) {
      ++silent;
      return peer.wait_for_end();
    }
    const std::string life = peer.number == 1 ? "1" : "3600";
    peer.write(json_answer(R"({"access_token": "token", "expires_in": )" + life + "}"));
  };
}

TEST_F(TargetLogin, a_token_that_has_expired_before_the_next_came_is_told) {
  std::atomic<int> silent{0};
  ScriptedServer server(one_token_of_a_second(silent));
  use_oauth2();
  world.options.login.token.port = server.port();
  wait_for_token();
  world.run_until([&] { return !world.target().status().unusable.empty() && silent == 1; });
  const std::string why = "no token from 127.0.0.1:" + std::to_string(server.port()) +
                          ": the last one has expired";
  EXPECT_EQ(world.target().status().unusable, why);
  EXPECT_EQ(world.notices.back().what, "target_login_failing");
  world.destroy_target();
}

// The target's own time is an hour: nobody waits that long for a token.
TEST_F(TargetLogin, a_token_server_that_says_nothing_is_asked_again_however_slow_the_target_is) {
  std::atomic<int> silent{0};
  ScriptedServer server(one_token_of_a_second(silent));
  use_oauth2();
  world.options.login.token.port = server.port();
  world.options.timeout = Duration::seconds(3600);
  world.options.login.longest_ask = Duration::seconds(1);
  wait_for_token();
  world.run_until([&] { return !world.target().status().unusable.empty(); });
  world.run_until([&] { return world.target().status().unusable.empty(); });
  EXPECT_EQ(server.connections(), 3);
  world.destroy_target();
}

TEST_F(TargetLogin, a_refused_token_is_renewed_once) {
  tokens.answer_by(numbered_tokens("3600"));
  receiver.answer_by([](const std::string& request) {
    const bool good = header_of(request, "Authorization") == "Bearer token-2";
    return std::string(good ? kNoContent : kUnauthorized);
  });
  use_oauth2();
  wait_for_token();
  EXPECT_EQ(deliver().outcome, Outcome::retry);
  EXPECT_FALSE(ended().back().counts);
  EXPECT_EQ(world.target().status().unusable, "") << "a new one may be all it takes";
  world.run_until([&] { return deliver().outcome == Outcome::accepted; });
  EXPECT_EQ(tokens.requests().size(), 2u);
  // A target that takes none does not make us ask for more and more.
  receiver.answer_by([](const std::string&) { return std::string(kUnauthorized); });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(deliver().outcome, Outcome::retry);
  EXPECT_EQ(tokens.requests().size(), 2u);
  EXPECT_EQ(world.target().status().unusable, "status 401: the login is refused");
}

// Else a reload that mends a login would not help before the last attempt of the old one has ended.
TEST_F(TargetLogin, who_was_replaced_holds_nobody_any_more) {
  tokens.answer_by([](const std::string&) {
    return json_answer("{\"error\": \"invalid_client\"}", "401 Unauthorized");
  });
  use_oauth2();
  world.target();
  world.run_until([&] { return holds() > 1; });
  Target another(world.io, world.options, world.events, {});
  another.take_over(world.target());
  const std::size_t before = holds();
  another.start(core::TargetId{4});
  const auto of_another = [](const core::Event& event) {
    const auto* hold = std::get_if<core::TargetHold>(&event);
    return hold != nullptr && hold->target == core::TargetId{4};
  };
  world.run_until([&] { return std::ranges::count_if(world.events, of_another) > 3; });
  EXPECT_EQ(holds(), before);
}

// A reload makes another target of the same login: its token server may be away just then.
TEST_F(TargetLogin, who_takes_over_goes_on_with_the_token) {
  tokens.answer_by(numbered_tokens("3600"));
  use_oauth2();
  wait_for_token();
  world.options.path = "/another";
  Target another(world.io, world.options, world.events, {});
  take_over_and_send(another, world);
  EXPECT_EQ(another.status().unusable, "");
  world.run_until([&] { return !ended().empty(); });
  EXPECT_EQ(header_of(receiver.requests().back(), "Authorization"), "Bearer token-1");
  EXPECT_EQ(tokens.requests().size(), 1u);
}

TEST_F(TargetLogin, who_takes_over_with_another_secret_asks_for_a_token) {
  tokens.answer_by(numbered_tokens("3600"));
  use_oauth2();
  wait_for_token();
  world.options.login.secret.value = "another";
  Target another(world.io, world.options, world.events, {});
  another.take_over(world.target());
  another.start(core::TargetId{4});
  EXPECT_NE(another.status().unusable, "");
  world.run_until([&] { return another.status().unusable.empty(); });
  EXPECT_EQ(tokens.requests().size(), 2u);
}

// A login that fails, and was told to, until another target takes over with other options.
struct MendedLogin : TargetLogin {
  void SetUp() override {
    tokens.answer_by([](const std::string&) {
      return json_answer("{\"error\": \"invalid_client\"}", "401 Unauthorized");
    });
    use_oauth2();
    world.target();
    world.run_until([&] { return !world.notices.empty(); });
    ASSERT_EQ(world.notices.back().what, "target_login_failing");
  }

  std::vector<std::string> told_by_another() {
    std::vector<std::string> told;
    Target another(world.io, world.options, world.events,
                   [&](const Notice& notice) { told.push_back(notice.what); });
    another.take_over(world.target());
    another.start(core::TargetId{4});
    world.run_until([&] { return !told.empty(); });
    return told;
  }
};

// What was told of the one before ends with the one that took its place.
TEST_F(MendedLogin, by_another_secret_is_told_to_work) {
  tokens.answer_by(numbered_tokens("3600"));
  world.options.login.secret.value = "another";
  EXPECT_EQ(told_by_another(), std::vector<std::string>{"target_login_ok"});
}

TEST_F(MendedLogin, by_a_password_in_the_place_of_tokens_is_told_to_work) {
  world.options.login = {};
  world.options.login.kind = LoginOptions::Kind::basic;
  world.options.login.username = "Aladdin";
  world.options.login.secret.value = "open sesame";
  EXPECT_EQ(told_by_another(), std::vector<std::string>{"target_login_ok"});
}

TEST_F(TargetLogin, one_who_refuses_the_token_stops_nobody_else) {
  tokens.answer_by(numbered_tokens("3600"));
  receiver.answer_by([](const std::string& request) {
    return std::string(request.ends_with("bad") ? kUnauthorized : kNoContent);
  });
  use_oauth2();
  wait_for_token();
  const std::size_t before = holds();
  const auto one_of_each = [&] {
    EXPECT_EQ(deliver("bad").outcome, Outcome::retry);
    EXPECT_EQ(deliver("good").outcome, Outcome::accepted);
    return header_of(receiver.requests().back(), "Authorization");
  };
  world.run_until([&] { return one_of_each() == "Bearer token-2"; });
  // The new one is accepted by others and refused by him, which is no reason for a third.
  const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
  world.run_until([&] { return one_of_each(), std::chrono::steady_clock::now() > later; });
  EXPECT_EQ(tokens.requests().size(), 2u);
  EXPECT_EQ(holds(), before);
}

TEST_F(TargetLogin, a_refused_token_is_used_on_while_there_is_no_other) {
  tokens.answer_by(numbered_tokens("3600"));
  receiver.answer_by([](const std::string& request) {
    return std::string(request.ends_with("bad") ? kUnauthorized : kNoContent);
  });
  use_oauth2();
  wait_for_token();
  tokens.answer_by([](const std::string&) { return json_answer("{}", "503 No"); });
  EXPECT_EQ(deliver("bad").outcome, Outcome::retry);
  world.run_until([&] { return !world.target().status().warning.empty(); });
  EXPECT_EQ(deliver("good").outcome, Outcome::accepted);
  EXPECT_EQ(deliver("bad").outcome, Outcome::retry);
  EXPECT_EQ(world.target().status().unusable, "status 401: the login is refused");
}

}  // namespace
}  // namespace einlass::http::testing
