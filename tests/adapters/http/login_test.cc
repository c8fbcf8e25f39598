// As whom a target is spoken to: what stands in Authorization, and what happens while there is
// nothing to put there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "adapters/http/login/token_answer.h"
#include "adapters/http/recorder.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

constexpr std::string_view kUnauthorized = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";

// A token server that gives token-1, token-2, ...
std::function<std::string(const std::string&)> numbered_tokens(const std::string& expires_in) {
  return [expires_in, given = 0](const std::string&) mutable {
    return json_answer("{\"access_token\": \"token-" + std::to_string(++given) +
                       "\", \"token_type\": \"Bearer\", \"expires_in\": " + expires_in + "}");
  };
}

void replace(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

class TargetLogin : public ::testing::Test {
 protected:
  // Ended attempts only: holds stand among the events too.
  core::DeliveryEnded deliver(std::string_view body = "{}", std::string_view host = {}) {
    const std::size_t before = ended().size();
    world.send(body, {}, host);
    world.run_until([&] { return ended().size() > before; });
    return ended().back();
  }
  std::vector<core::DeliveryEnded> ended() const {
    std::vector<core::DeliveryEnded> all;
    for (const auto& event : world.events) {
      if (const auto* one = std::get_if<core::DeliveryEnded>(&event)) all.push_back(*one);
    }
    return all;
  }
  std::size_t holds() const {
    std::size_t count = 0;
    for (const auto& event : world.events) {
      const auto* hold = std::get_if<core::TargetHold>(&event);
      if (hold != nullptr && hold->target == core::TargetId{3}) ++count;
    }
    return count;
  }
  void use_oauth2() {
    world.options.login.kind = LoginOptions::Kind::oauth2;
    world.options.login.secret.value = "s:cret";
    world.options.login.token = {.tls = false,
                                 .host = "127.0.0.1",
                                 .port = tokens.port(),
                                 .path = "/token?x=1",
                                 .client_id = "gate 1",
                                 .scope = "deliver read",
                                 .audience = ""};
  }
  void wait_for_token() {
    world.target();
    world.run_until([&] { return world.target().status().unusable.empty(); });
  }

  Recorder receiver;
  Recorder tokens;
  TargetWorld world{receiver.port()};
};

TEST_F(TargetLogin, basic) {
  world.options.login.kind = LoginOptions::Kind::basic;
  world.options.login.username = "Aladdin";
  world.options.login.secret.value = "open sesame";
  EXPECT_EQ(deliver().outcome, Outcome::accepted);
  EXPECT_EQ(header_of(receiver.requests().at(0), "Authorization"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(TargetLogin, a_token_in_a_file_is_renewed_there) {
  const std::string path = ::testing::TempDir() + "einlass-token";
  const auto write = [&](const std::string& text) { replace(path, text); };
  write("one\n");
  world.options.login.kind = LoginOptions::Kind::bearer;
  world.options.login.secret = {"one", path};
  deliver();
  EXPECT_EQ(header_of(receiver.requests().back(), "Authorization"), "Bearer one");
  write("two\n");
  world.run_until([&] {
    deliver();
    return header_of(receiver.requests().back(), "Authorization") == "Bearer two";
  });
  // What no header may have is not taken, and said; the old one is used on.
  write("th\nree\n");
  world.run_until([&] { return !world.target().status().warning.empty(); });
  EXPECT_NE(world.target().status().warning.find(path + " cannot be used"), std::string::npos);
  EXPECT_EQ(world.target().status().warning.find("ree"), std::string::npos);
  EXPECT_EQ(world.target().status().unusable, "");
  deliver();
  EXPECT_EQ(header_of(receiver.requests().back(), "Authorization"), "Bearer two");
  EXPECT_EQ(world.notices.back().what, "target_login_failing");
  write("four");
  world.run_until([&] { return world.target().status().warning.empty(); });
  deliver();
  EXPECT_EQ(header_of(receiver.requests().back(), "Authorization"), "Bearer four");
  EXPECT_EQ(world.notices.back().what, "target_login_ok");
}

TEST_F(TargetLogin, neither_it_nor_the_one_before_is_shown_where_it_is_sent_back) {
  using Kind = LoginOptions::Kind;
  const std::string path = ::testing::TempDir() + "einlass-renewed";
  const auto write = [&](const std::string& text) { replace(path, text); };
  for (const Kind kind : {Kind::bearer, Kind::basic}) {
    world.destroy_target();
    write("open sesame");
    world.options.login.kind = kind;
    world.options.login.username = "Aladdin";
    world.options.login.secret = {"open sesame", path};
    receiver.answer_by([](const std::string&) { return std::string(kNoContent); });
    deliver();
    const std::string before = header_of(receiver.requests().back(), "Authorization");
    write("open sesame seeds");
    std::string now;
    world.run_until([&] {
      deliver();
      now = header_of(receiver.requests().back(), "Authorization");
      return now != before;
    });
    receiver.answer_by(
        [&](const std::string&) { return json_answer("not " + before + ", " + now, "400 Bad"); });
    EXPECT_EQ(deliver().outcome, Outcome::refused);
    const std::string scheme = kind == Kind::bearer ? "Bearer" : "Basic";
    EXPECT_EQ(world.trouble(), "status 400: not " + scheme + " ***, " + scheme + " ***");
    if (kind == Kind::bearer) continue;
    receiver.answer_by([&](const std::string&) {
      return json_answer("not open sesame, open sesame seeds", "400 Bad");
    });
    deliver();
    EXPECT_EQ(world.trouble(), "status 400: not ***, ***");
  }
}

TEST_F(TargetLogin, a_refused_login_is_no_fault_of_the_record) {
  receiver.answer_by([](const std::string&) { return std::string(kUnauthorized); });
  world.options.login.kind = LoginOptions::Kind::bearer;
  world.options.login.secret.value = "old";
  EXPECT_EQ(deliver().outcome, Outcome::retry);
  EXPECT_FALSE(ended().back().counts);
  EXPECT_EQ(world.target().status().unusable, "status 401: the login is refused");
  EXPECT_EQ(world.notices.back().what, "target_unusable");
  receiver.answer_by([](const std::string&) { return std::string(kNoContent); });
  EXPECT_EQ(deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.target().status().unusable, "");
}

TEST_F(TargetLogin, of_many_hosts_one_that_refuses_it_does_not_make_the_target_unusable) {
  receiver.answer_by([](const std::string& request) {
    const bool takes = header_of(request, "Host").starts_with("127.0.0.1");
    return std::string(takes ? kNoContent : kUnauthorized);
  });
  world.options.login.kind = LoginOptions::Kind::bearer;
  world.options.login.secret.value = "old";
  world.options.host = "";
  world.options.host_of_record = true;
  world.options.allow_private = true;
  const auto unusable_after = [&](std::string_view host) {
    const auto end = deliver("{}", host);
    EXPECT_EQ(end.counts, end.outcome == Outcome::accepted);
    return world.target().status().unusable;
  };
  EXPECT_EQ(unusable_after("localhost"), "") << "nobody else was asked yet";
  EXPECT_EQ(unusable_after("127.0.0.1"), "");
  EXPECT_EQ(unusable_after("localhost"), "");
  EXPECT_EQ(unusable_after("127.1"), "") << "there is one who takes it";
  receiver.answer_by([](const std::string&) { return std::string(kUnauthorized); });
  EXPECT_EQ(unusable_after("127.0.0.1"), "status 401: the login is refused");
}

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
  another.take_over(world.target());
  another.start(core::TargetId{4});
  EXPECT_EQ(another.status().unusable, "");
  another.send(Request{.record = {1, 1},
                       .attempt = {1},
                       .host = {},
                       .id = "results-3-7",
                       .content_type = {},
                       .headers = {},
                       .body = "{}"});
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

// What was told of the one before ends with the one that took its place.
TEST_F(TargetLogin, who_takes_over_tells_that_it_works_again) {
  tokens.answer_by([](const std::string&) {
    return json_answer("{\"error\": \"invalid_client\"}", "401 Unauthorized");
  });
  use_oauth2();
  world.target();
  world.run_until([&] { return !world.notices.empty(); });
  ASSERT_EQ(world.notices.back().what, "target_login_failing");
  tokens.answer_by(numbered_tokens("3600"));
  world.options.login.secret.value = "another";
  std::vector<std::string> told;
  Target another(world.io, world.options, world.events,
                 [&](const Notice& notice) { told.push_back(notice.what); });
  another.take_over(world.target());
  another.start(core::TargetId{4});
  world.run_until([&] { return !told.empty(); });
  EXPECT_EQ(told, std::vector<std::string>{"target_login_ok"});
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

TEST_F(TargetLogin, nothing_of_a_secret_is_told) {
  tokens.answer_by([](const std::string& request) {
    return json_answer("{\"error\": \"bad " + header_of(request, "Authorization") + "\"}",
                       "400 Bad");
  });
  use_oauth2();
  world.target();
  world.run_until([&] { return !world.notices.empty(); });
  for (const Notice& notice : world.notices) {
    EXPECT_EQ(notice.detail.find("Z2F0ZSUyMDE6"), std::string::npos) << notice.detail;
    EXPECT_EQ(notice.detail.find("s:cret"), std::string::npos) << notice.detail;
  }
}

TEST(TokenAnswer, is_read_strictly) {
  const auto trouble = [](const std::string& body, unsigned status = 200) {
    const TokenAnswer answer = read_token_answer(status, body);
    EXPECT_EQ(answer.token.empty(), !answer.trouble.empty());
    return answer.trouble;
  };
  EXPECT_EQ(trouble(R"({"access_token": "a"})"), "");
  EXPECT_EQ(trouble(R"({"access_token": "a", "token_type": "bEaReR", "expires_in": "60"})"), "");
  EXPECT_EQ(trouble(""), "the answer is not a JSON object");
  EXPECT_EQ(trouble("[]"), "the answer is not a JSON object");
  EXPECT_EQ(trouble("{}"), "the answer has no access_token");
  EXPECT_EQ(trouble(R"({"access_token": 7})"), "the answer has no access_token");
  EXPECT_EQ(trouble(R"({"access_token": "a\r\nX: y"})"),
            "the token has characters that no header may have");
  EXPECT_EQ(trouble(R"({"access_token": ")" + std::string(13000, 'a') + "\"}"),
            "the token is longer than 12KiB");
  EXPECT_EQ(trouble(R"({"access_token": "a", "token_type": "mac"})"),
            "the token's type is not Bearer");
  EXPECT_EQ(trouble(R"({"access_token": "a", "expires_in": -1})"),
            "the token's expires_in is not a time ahead");
  EXPECT_EQ(trouble(R"({"access_token": "a", "expires_in": "soon"})"),
            "the token's expires_in is not a time ahead");
  EXPECT_EQ(trouble(R"({"error": "invalid_scope", "error_description": "x"})", 400),
            "status 400, invalid_scope");
  EXPECT_EQ(trouble(R"({"error": "a b"})", 403), "status 403");
  EXPECT_EQ(trouble("<html>", 302), "status 302");
  EXPECT_EQ(read_token_answer(200, R"({"access_token": "a", "expires_in": 60})").life,
            Duration::seconds(60));
  EXPECT_EQ(read_token_answer(200, R"({"access_token": "a", "expires_in": 1e300})").life,
            Duration::seconds(366LL * 24 * 3600));
  EXPECT_EQ(read_token_answer(200, R"({"access_token": "a"})").life, std::nullopt);
}

}  // namespace
}  // namespace einlass::http::testing
