// As whom a target is spoken to: what stands in Authorization, and what happens while there is
// nothing to put there.
#include <gtest/gtest.h>

#include "adapters/http/login/token_answer.h"
#include "adapters/http/login_world.h"
#include "adapters/http/target/health.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

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

// Every half minute one more token is asked for, and whoever looks just then must not be told that
// all is well.
TEST(LoginHealth, one_that_was_refused_anew_is_no_good_until_an_attempt_is_accepted) {
  Health health("billing", {});
  Answer refused{.status = 401, .retry_after = {}, .trouble = "the login is refused"};
  refused.refuses_login = true;
  health.fails(refused);
  EXPECT_EQ(health.unusable(), "") << "a new token may be all it takes";
  refused.needs_repair = true;
  health.fails(refused);
  EXPECT_EQ(health.unusable(), "status 401: the login is refused");
  refused.needs_repair = false;
  health.fails(refused);
  EXPECT_EQ(health.unusable(), "status 401: the login is refused") << "so was the last new one";
  health.fails(Answer{.status = 503, .retry_after = {}, .trouble = {}});
  health.fails(refused);
  EXPECT_EQ(health.unusable(), "status 401: the login is refused") << "whatever came between";
  health.works();
  EXPECT_EQ(health.unusable(), "");
  health.fails(refused);
  EXPECT_EQ(health.unusable(), "");
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
